package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf returns the user and system time that a process has taken, with all its threads.
func cpuOf(process *os.Process) (time.Duration, error) {
	const scheduled = 2                                 // CPUCLOCK_SCHED
	clock := int32(uint32(^process.Pid)<<3 | scheduled) // as clock_getcpuclockid makes it
	var now unix.Timespec
	if err := unix.ClockGettime(clock, &now); err != nil {
		return 0, fmt.Errorf("read the processor time of process %d: %w", process.Pid, err)
	}
	return time.Duration(now.Nano()), nil
}
