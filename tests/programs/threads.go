// Goroutines that migrate between threads, stacks that are copied when they grow, recovered panics,
// a garbage collector that stops the world. The output does not depend on the schedule.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
)

//go:noinline
func deep(n int) int {
	var room [64]int
	room[n%64] = n
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[n%64]
}

//go:noinline
func risky(n int) (result int) {
	defer func() {
		if caught := recover(); caught != nil {
			result = -n
		}
	}()
	if n%3 == 0 {
		panic(fmt.Sprint("no ", n))
	}
	return n
}

//go:noinline
func worker(jobs <-chan int, results chan<- int, done *sync.WaitGroup) {
	defer done.Done()
	for job := range jobs {
		runtime.Gosched()
		results <- deep(job%200) + risky(job) + len(strings.Repeat("x", job))
	}
}

func main() {
	jobs, results := make(chan int), make(chan int, 8)
	var done sync.WaitGroup
	for i := 0; i < 16; i++ {
		done.Add(1)
		go worker(jobs, results, &done)
	}
	go func() {
		for i := 0; i < 300; i++ {
			jobs <- i
		}
		close(jobs)
		done.Wait()
		close(results)
	}()
	sum, seen := 0, map[int]int{}
	for result := range results {
		sum += result
		seen[result%10]++
	}
	runtime.GC()
	keys := make([]int, 0)
	for key := range seen {
		keys = append(keys, key)
	}
	sort.Ints(keys)
	for _, key := range keys {
		fmt.Print(key, ":", seen[key], " ")
	}
	fmt.Println(sum)
}
