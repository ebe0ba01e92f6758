package history

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// weigh says how much memory the process has before the journal is used, while it is
// open and idle, after 5,000 changes and once it is closed, in KiB.
func weigh(folder string) {
	j, ctx := childJournal(folder), context.Background()
	say("%d", resident())
	must(j.Stopped(ctx, someIntent("x"), "PAUSED"))
	_, err := j.Servers(ctx)
	must(err)
	say("%d", resident())
	for n := range 5000 {
		c, err := j.Intend(ctx, benchmarkIntent(n))
		must(err)
		must(j.Finish(ctx, c, Outcome{State: StateDone}))
		must(j.After(ctx, c, Aftermath{Facts: facts(n + 1), By: BySoon}))
	}
	_, err = j.Abandoned(ctx, nil)
	must(err)
	say("%d", resident())
	must(j.Close(ctx))
	say("%d", resident())
}

// resident returns the memory that is in use, after what nobody uses was given back.
func resident() (kib int) {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	_, err = fmt.Sscan(after, &kib)
	must(err)
	return kib
}
