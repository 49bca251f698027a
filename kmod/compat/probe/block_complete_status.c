/* between 5.10 and 6.1: block_rq_complete has the status of the block layer, not an errno */
#include <linux/blkdev.h>
#include <trace/events/block.h>
void probe(void *data, struct request *rq, blk_status_t status, unsigned int bytes);
void ask(void)
{
	check_trace_callback_type_block_rq_complete(probe);
}
