/* before 5.17, f3fa33acca9f "block: remove the ->rq_disk field in struct request" */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
typeof(((struct request *)NULL)->rq_disk) ask;
