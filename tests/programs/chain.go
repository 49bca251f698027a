// chain MS: a goroutine computes below ten calls for this CPU time; main waits for it.
package main

import (
	"os"
	"strconv"
	"syscall"
)

var sink uint64

func cpuMs() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Sec*1000 + usage.Utime.Usec/1000
}

//go:noinline
func compute(n uint64) uint64 {
	for i := uint64(0); i < 1000000; i++ {
		n = n*6364136223846793005 + i
	}
	return n
}

//go:noinline
func down(depth int, n uint64) uint64 {
	if depth == 0 {
		return compute(n) + 1
	}
	return down(depth-1, n+1) + 1
}

//go:noinline
func goroutine(ms int64, done chan<- bool) {
	for cpuMs() < ms {
		sink += down(9, sink)
	}
	done <- true
}

func main() {
	ms, _ := strconv.Atoi(os.Args[1])
	for cpuMs() < int64(ms)/2 {
		sink += down(9, sink)
	}
	done := make(chan bool)
	go goroutine(int64(ms), done)
	<-done
}
