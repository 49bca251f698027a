// SPDX-License-Identifier: GPL-2.0
/*
 * A program for demonstrations: three workers measure shapes for a second, and refuse some of them
 * by an exception.
 */
#include <pthread.h>
#include <time.h>

#include "victim.h"

#define WORKERS 3
#define STEPS 20

struct Refused {
	int job;
};

class Shape {
public:
	explicit Shape(int size) : size(size) {}
	double area();
private:
	int size;
};

class Worker {
public:
	void start(int number);
	double finish();
	int refused = 0;
private:
	static void *loop(void *self);
	void step(int job);
	pthread_t thread;
	int number = 0;
	double total = 0;
};

PROBED void pause_ms(int ms)
{
	struct timespec delay = { 0, ms * 1000000L };

	while (nanosleep(&delay, &delay))
		;
}

/* The area of a disc as a sum of stripes, which takes time that shows in a profile. */
PROBED double Shape::area()
{
	double stripe, sum = 0;
	int i;

	for (i = 0; i < 20000; i++) {
		stripe = (i + 0.5) / 20000;
		sum += 4 / (1 + stripe * stripe);
	}
	return sum / 20000 * size * size;
}

PROBED void check(int job)
{
	if (job % 5 == 4)
		throw Refused{job};
}

PROBED double measure(int job)
{
	Shape shape(job % 4 + 1);

	check(job);
	return shape.area();
}

PROBED void Worker::step(int job)
{
	pause_ms(40);
	try {
		total += measure(job);
	} catch (const Refused &) {
		refused++;
	}
}

PROBED void *Worker::loop(void *self)
{
	Worker *worker = static_cast<Worker *>(self);

	for (int i = 0; i < STEPS; i++)
		worker->step(i + worker->number);
	return self;
}

PROBED void Worker::start(int number_)
{
	number = number_;
	if (pthread_create(&thread, nullptr, loop, this))
		abort();
}

PROBED double Worker::finish()
{
	pthread_join(thread, nullptr);
	return total;
}

PROBED int run(int workers)
{
	Worker worker[WORKERS];
	double total = 0;
	int refused = 0;

	for (int i = 0; i < workers; i++)
		worker[i].start(i);
	for (int i = 0; i < workers; i++) {
		total += worker[i].finish();
		refused += worker[i].refused;
	}
	printf("%d shapes measured, %d refused, total area %.3f\n",
	       workers * STEPS - refused, refused, total);
	return refused;
}

int main(int argc, char **argv)
{
	const int steps = WORKERS * STEPS, refused = WORKERS * STEPS / 5;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("Shape::area() %d\nWorker::finish() %d\nWorker::loop(void*) %d\n"
		       "Worker::start(int) %d\nWorker::step(int) %d\ncheck(int) %d\nmain 1\n"
		       "measure(int) %d\npause_ms(int) %d\nrun(int) 1\n",
		       steps - refused, WORKERS, WORKERS, WORKERS, steps, steps, steps, steps);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		return run(WORKERS) == refused ? 20 : 1;
	}
}
