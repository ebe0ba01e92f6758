package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"
)

// A server writes 200 times at once and then 20 times a second, so that it is asked for
// fewer.
const (
	writesOfABlock = 15
	writeBlocks    = 9
	settling       = 200 * time.Millisecond
)

// writes measures what writes to the sandbox take of a server, with the journal and without.
func (m measurement) writes(ctx context.Context) error {
	fmt.Fprintln(m.out, "\nWrites to the sandbox: microseconds for a call, CPU and p50, and in parts of one without a journal (goal: with it 2.5 at most)")
	table := tabwriter.NewWriter(m.out, 0, 0, 2, ' ', 0)
	n := 0
	for _, r := range []row{
		{name: "create_block", call: call{"create_block", map[string]any{"parentUid": writeUID, "markdown": "A new block"}}},
		{name: "update_block", call: call{"update_block", map[string]any{}}},
	} {
		if !m.wants(r.name) {
			continue
		}
		kept := contender{name: "without a journal", command: append(m.contenders[0].command[:2:2], "--no-journal")}
		one := m
		one.contenders = append([]contender{kept}, m.contenders...)
		all := make([][]taken, len(one.contenders))
		var servers []*server
		for i, c := range one.contenders {
			home, err := m.world.anotherUser(fmt.Sprintf("%s-%d", r.call.tool, i))
			if err != nil {
				return err
			}
			s, err := c.start(ctx, home)
			if err != nil {
				return err
			}
			defer s.close()
			servers = append(servers, s)
		}
		for block := range writeBlocks {
			for i, s := range servers {
				calls := 0
				took, err := takenBy(s.process.Process, writesOfABlock, func() error {
					n, calls = n+1, calls+1
					if r.call.tool == "update_block" { // each a block of its own: what another one has changed has to be read
						r.call.args["uid"], r.call.args["string"] = fmt.Sprintf("changed-%d", i), fmt.Sprintf("The block, changed %d times", n)
					}
					err := s.do(r.call)
					if calls == writesOfABlock { // what is read in the background counts too
						time.Sleep(settling)
					}
					return err
				})
				if err != nil {
					return fmt.Errorf("%s, %s: %w", r.name, one.contenders[i].name, err)
				}
				if block > 0 {
					all[i] = append(all[i], took)
				}
			}
		}
		one.tell(table, r.name, all, 0)
	}
	return table.Flush()
}
