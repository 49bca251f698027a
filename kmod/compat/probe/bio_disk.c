/* 4.14 to 5.11; removed by 309dca309fc3 "block: store a block_device pointer in struct bio" */
#include <linux/blkdev.h>
typeof(((struct bio *)NULL)->bi_disk) ask;
