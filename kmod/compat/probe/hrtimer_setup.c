/* 6.13, 908a1d775422 "hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()" */
#include <linux/hrtimer.h>
void (*ask)(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
	    clockid_t clock, enum hrtimer_mode mode) = hrtimer_setup;
