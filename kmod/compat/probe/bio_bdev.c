/* up to 4.13, and since 5.12, 309dca309fc3 "block: store a block_device pointer in struct bio" */
#include <linux/blkdev.h>
typeof(((struct bio *)NULL)->bi_bdev->bd_disk) ask;
