/* up to 4.10; aebf526b53ae "block: fold cmd_type into the REQ_OP_ space" */
#include <linux/blkdev.h>
typeof(((struct request *)NULL)->cmd_type == REQ_TYPE_FS) ask;
