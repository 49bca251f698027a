/* 5.15, d152c682f03c "block: add an explicit ->disk backpointer to the request_queue" */
#include <linux/blkdev.h>
typeof(((struct request_queue *)NULL)->disk) ask;
