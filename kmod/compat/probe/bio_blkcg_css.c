/* 5.19, 79fe3ed2b0ad "blk-cgroup: replace bio_blkcg with bio_blkcg_css" */
#include <linux/bio.h>
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
struct cgroup *ask(struct bio *bio)
{
	return bio_blkcg_css(bio)->cgroup;
}
