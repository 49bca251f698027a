/* 3.14, 4f024f3797c4 "block: Abstract out bvec iterator" */
#include <linux/bio.h>
unsigned int ask(struct bio *bio);
unsigned int ask(struct bio *bio)
{
	return bio->bi_iter.bi_size;
}
