/* 4.8, 3a5e02ced11e "block, drivers: add REQ_OP_FLUSH operation" */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
int ask(struct request *rq)
{
	return req_op(rq) == REQ_OP_FLUSH;
}
