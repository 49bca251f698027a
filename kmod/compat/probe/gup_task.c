/* up to 4.5; 1e9877902dc7 "mm/gup: Introduce get_user_pages_remote()" */
#include <linux/mm.h>
typeof(get_user_pages((struct task_struct *)NULL, NULL, 0, 1, 0, 0, NULL, NULL)) ask;
