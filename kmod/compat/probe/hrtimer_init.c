/* up to 6.14; 9779489a31d7 "hrtimers: Delete hrtimer_init()" */
#include <linux/hrtimer.h>
void ask(struct hrtimer *timer);
void ask(struct hrtimer *timer)
{
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
