/* 4.15, 8ddcd653257c "block: introduce GENHD_FL_HIDDEN" */
#include <linux/blkdev.h>
int ask(struct gendisk *disk)
{
	return disk->flags & GENHD_FL_HIDDEN;
}
