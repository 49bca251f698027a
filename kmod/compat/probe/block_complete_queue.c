/* before 4.15: block_rq_complete begins with the queue; some 3.10 of RHEL also have the bytes */
#include <linux/blkdev.h>
#include <trace/events/block.h>
void probe(void *data, struct request_queue *q, struct request *rq, unsigned int bytes);
void ask(void)
{
	check_trace_callback_type_block_rq_complete(probe);
}
