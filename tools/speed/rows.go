package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

const (
	warming  = 300 // calls; Node needs as many
	ofABlock = 60
)

// measurement is what is measured, where, and of whom.
type measurement struct {
	options
	world      *world
	contenders []contender
	out        io.Writer
}

// row is a call that is measured, and how much less than the official server this one is to
// take.
type row struct {
	name string
	call call
	goal float64
}

func rows() []row {
	return []row{
		{"get_page, 3 KB", call{"get_page", map[string]any{"title": smallPage}}, 5},
		{"search", call{"search", map[string]any{"query": "harbour"}}, 3.5},
		{"datalog_query", call{"datalog_query", map[string]any{"query": `[:find ?t :where [?b :block/uid "` + changedUID + `"] [?b :block/page ?p] [?p :node/title ?t]]`}}, 4.5},
		{"get_backlinks", call{"get_backlinks", map[string]any{"title": linkedPage}}, 3.5},
		{"get_page, 66 KB", call{"get_page", map[string]any{"title": largePage}}, 1.2},
	}
}

// taken is what a call took: processor time and time, the middle one of a block.
type taken struct{ cpu, time time.Duration }

// takenBy makes calls, and says what each took of a process.
func takenBy(process *os.Process, calls int, do func() error) (taken, error) {
	before, err := cpuOf(process)
	if err != nil {
		return taken{}, err
	}
	var times []time.Duration
	for range calls {
		began := time.Now()
		if err := do(); err != nil {
			return taken{}, err
		}
		times = append(times, time.Since(began))
	}
	after, err := cpuOf(process)
	return taken{(after - before) / time.Duration(calls), median(times)}, err
}

func median[T cmp.Ordered](all []T) T { return quantile(all, 2, 4) }

// quantile returns the n-th of so many parts.
func quantile[T cmp.Ordered](all []T, n, of int) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)*n/of, len(sorted)-1)]
}

// started starts all contenders.
func (m measurement) started(ctx context.Context, home string) (all []*server, end func(), err error) {
	end = func() {
		for _, s := range all {
			s.close()
		}
	}
	for _, c := range m.contenders {
		s, err := c.start(ctx, home)
		if err != nil {
			return nil, end, err
		}
		all = append(all, s)
	}
	return all, end, nil
}

// inTurns makes blocks of calls of all servers, in rotating order, warm.
func (m measurement) inTurns(servers []*server, do func(*server) error) ([][]taken, error) {
	for _, s := range servers {
		for range warming {
			if err := do(s); err != nil {
				return nil, err
			}
		}
	}
	all := make([][]taken, len(servers))
	for n := range m.blocks {
		for i := range servers {
			i = (i + n) % len(servers)
			took, err := takenBy(servers[i].process.Process, ofABlock, func() error { return do(servers[i]) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.contenders[i].name, err)
			}
			all[i] = append(all[i], took)
		}
	}
	return all, nil
}

// reads measures the servers over the echo.
func (m measurement) reads(ctx context.Context) error {
	servers, end, err := m.started(ctx, m.world.homeOfEcho)
	defer end()
	if err != nil {
		return err
	}
	fmt.Fprintln(m.out, "Over an echo of Roam: microseconds for a call, CPU and p50, and ratios of CPU and p50 to ours with quartiles")
	table := tabwriter.NewWriter(m.out, 0, 0, 2, ' ', 0)
	for _, r := range append(rows(), row{name: "ping"}) {
		if !m.wants(r.name) {
			continue
		}
		all, err := m.inTurns(servers, func(s *server) error {
			if r.call.tool == "" {
				return s.ask("ping", map[string]any{})
			}
			return s.do(r.call)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		m.tell(table, r.name, all, r.goal)
	}
	return table.Flush()
}

// tell writes a line of a table: what all servers took, and the others in parts of ours.
func (m measurement) tell(table io.Writer, name string, all [][]taken, goal float64) {
	fmt.Fprint(table, name)
	for i, blocks := range all {
		cpu, times, ratios, ratiosOfTimes := []time.Duration{}, []time.Duration{}, []float64{}, []float64{}
		for n, b := range blocks {
			cpu, times = append(cpu, b.cpu), append(times, b.time)
			ratios = append(ratios, float64(b.cpu)/float64(all[0][n].cpu))
			ratiosOfTimes = append(ratiosOfTimes, float64(b.time)/float64(all[0][n].time))
		}
		fmt.Fprintf(table, "\t%s\t%d\t%d", m.contenders[i].name, median(cpu).Microseconds(), median(times).Microseconds())
		if i > 0 {
			fmt.Fprintf(table, "\t%.2f (%.2f-%.2f)\t%.2f", median(ratios), quantile(ratios, 1, 4), quantile(ratios, 3, 4), median(ratiosOfTimes))
		}
	}
	if goal > 0 {
		fmt.Fprintf(table, "\tgoal %.1f", goal)
	}
	fmt.Fprintln(table)
}

// together measures the sandbox by itself, asked what a server asks for a call, and the
// servers over the sandbox.
func (m measurement) together(ctx context.Context) error {
	servers, end, err := m.started(ctx, m.world.homeOfSandbox)
	defer end()
	if err != nil {
		return err
	}
	echoed, err := m.contenders[0].start(ctx, m.world.homeOfEcho)
	if err != nil {
		return err
	}
	defer echoed.close()
	fmt.Fprintln(m.out, "\nThe sandbox by itself, and servers over the sandbox: microseconds, CPU and p50")
	table := tabwriter.NewWriter(m.out, 0, 0, 2, ' ', 0)
	for _, r := range rows() {
		if !m.wants(r.name) {
			continue
		}
		if err := echoed.do(r.call); err != nil {
			return err
		}
		post := func() error { return m.world.post(ctx, m.world.recorded.last) }
		if _, err := takenBy(m.world.sandbox.Process, warming, post); err != nil {
			return err
		}
		var cpu, times []time.Duration
		for range m.blocks {
			took, err := takenBy(m.world.sandbox.Process, ofABlock, post)
			if err != nil {
				return err
			}
			cpu, times = append(cpu, took.cpu), append(times, took.time)
		}
		all, err := m.inTurns(servers, func(s *server) error { return s.do(r.call) })
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		m.tell(table, fmt.Sprintf("%s\tsandbox\t%d\t%d", r.name, median(cpu).Microseconds(), median(times).Microseconds()), all, 0)
	}
	return table.Flush()
}

// post asks the sandbox without a server.
func (w *world) post(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.direct+"/api/"+graphName, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+w.token.Reveal())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("the sandbox answers %s: %.200s", response.Status, text))
	}
	return err
}

// inFlight measures how many calls a second are answered when 50 are asked for at a time.
func (m measurement) inFlight(ctx context.Context) error {
	const calls = 50
	if !m.wants("in flight") {
		return nil
	}
	servers, end, err := m.started(ctx, m.world.homeOfEcho)
	defer end()
	if err != nil {
		return err
	}
	all, err := m.inTurns(servers, func(s *server) error { return s.do(slices.Repeat([]call{rows()[0].call}, calls)...) })
	if err != nil {
		return err
	}
	fmt.Fprintf(m.out, "\n%d in flight, get_page over the echo, calls a second (goal: 4 times the official server's)\n", calls)
	for i, c := range m.contenders {
		var times []time.Duration
		for _, b := range all[i] {
			times = append(times, b.time)
		}
		fmt.Fprintf(m.out, "%s  %.0f\n", c.name, calls/median(times).Seconds())
	}
	return nil
}

// afterPause measures the first call after five seconds in which nobody has called.
func (m measurement) afterPause(ctx context.Context) error {
	if !m.wants("after a pause") {
		return nil
	}
	servers, end, err := m.started(ctx, m.world.homeOfEcho)
	defer end()
	if err != nil {
		return err
	}
	all := make([][]taken, len(servers))
	for n := range m.blocks {
		if n > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(5500 * time.Millisecond):
			}
		}
		for i, s := range servers {
			times := ofABlock
			if n > 0 {
				times = 1
			}
			took, err := takenBy(s.process.Process, times, func() error { return s.do(rows()[0].call) })
			if err != nil {
				return err
			}
			if n > 0 {
				all[i] = append(all[i], took)
			}
		}
	}
	fmt.Fprintln(m.out, "\nThe first call after a pause of five seconds, get_page over the echo: microseconds, CPU and time")
	table := tabwriter.NewWriter(m.out, 0, 0, 2, ' ', 0)
	m.tell(table, "after a pause", all, 4)
	return table.Flush()
}
