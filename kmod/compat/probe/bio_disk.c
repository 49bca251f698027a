/* 4.14 to 5.11; removed by 309dca309fc3 "block: store a block_device pointer in struct bio" */
#include <linux/blkdev.h>
struct gendisk *ask(struct bio *bio);
struct gendisk *ask(struct bio *bio)
{
	return bio->bi_disk;
}
