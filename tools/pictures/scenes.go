package main

import (
	"errors"
	"os/exec"
	"slices"
	"time"

	"roam-mcp/internal/testutil/terminal"
)

// scene is one picture: the keys that lead to a screen, and what must be on it.
type scene struct {
	name          string
	columns, rows int
	empty         bool // begins where nothing is connected yet
	steps         []step
}

// step presses keys once the texts of the step before are on the screen, has an
// agent call the server that the screen shows, and waits for its own texts.
type step struct {
	keys   []string
	visit  visit
	awaits []string
}

// asking leads from the first screen to a request that waits for its answer. The
// description that the form proposes has this computer's name in it.
func asking() []step {
	return []step{
		{awaits: []string{"demo", "notebook"}},
		{keys: []string{terminal.Enter}, awaits: []string{"Nickname"}},
		{keys: []string{terminal.Tab, terminal.Tab, terminal.ControlU, "roam-mcp on Ada's laptop"}, awaits: []string{"Ada's laptop"}},
		{keys: []string{terminal.Enter}, awaits: []string{"Waiting for you in Roam", "allow", "left"}},
	}
}

func scenes() []scene {
	list := step{awaits: []string{"Tidewater", "● connected", "✗ token revoked", "recipes"}}
	key := func(key string, awaits ...string) step { return step{keys: []string{key}, awaits: awaits} }
	// choosing leads to the clients and gives them the n-th profile after the usual one.
	choosing := func(n int, profile string) []step {
		steps := []step{list, key("m", "Cursor"), key("o", "What clients are given")}
		for range n - 1 {
			steps = append(steps, key(terminal.Right))
		}
		return append(steps, key(terminal.Right, "Profile  "+profile))
	}
	// serving is the screen on which an agent's calls of a profile are listed.
	serving := func(n int, profile string, visit visit, awaits string) scene {
		return scene{name: "serve-" + profile, columns: 92, rows: 20, steps: append(choosing(n, profile),
			key(terminal.Escape, "space mark"), key("s", "profile "+profile+", Tidewater"), step{visit: visit, awaits: []string{awaits}})}
	}
	// watching leads to the calls of the server that this program runs.
	watching := func(more ...step) []step {
		return append([]step{list, key("s", "writes on"), key("v", "No agent has called yet")}, more...)
	}
	return []scene{
		{name: "graphs", columns: 92, rows: 19, steps: []step{list}},
		{name: "waiting", columns: 92, rows: 20, empty: true, steps: asking()},
		{name: "graph", columns: 92, rows: 34, steps: []step{list, key(terminal.Enter, "Access", "Token")}},
		{name: "serve", columns: 92, rows: 19, steps: watching(
			step{visit: readsAndWrites, awaits: []string{"5 calls"}}, key("p", "writes paused"),
			step{visit: writesInVain, awaits: []string{"WRITES_PAUSED", "8 calls"}}, key("p", "writes on"),
		)},
		{name: "history", columns: 92, rows: 28, steps: watching(
			step{visit: tidiesUp, awaits: []string{"update_blocks"}}, key(terminal.Escape, "Your graphs"),
			key("s", "Stop serving?"), key("y", "Your graphs"), key("h", "update_blocks", "create_page", "as it was left"),
		)},
		{name: "clients-proof", columns: 92, rows: 24, steps: []step{list, key("m", "Cursor"), key(terminal.Enter, "write and prove"), key(terminal.Enter, "f: re-authorize Old")}},
		{name: "doctor", columns: 92, rows: 32, steps: []step{list, key("d", "was revoked in Roam", "1 thing failed")}},
		serving(1, "graph", exploresGraph(), "7 calls, 1 failed, 1 write"),
		serving(2, "notes", keepsNotes(), "7 calls, 1 failed, 3 writes"),
		serving(3, "outline", worksInOutline(), "7 calls, 1 failed, 2 writes"),
		serving(4, "wiki", editsWiki(), "7 calls, 1 failed, 1 write"),
	}
}

// play leads the program to the scene's screen and gives that.
func (s scene) play(program, home, furnished string, background backdrop) (grid, error) {
	if err := moveIn(home, furnished, s.empty); err != nil {
		return nil, err
	}
	command := exec.Command(program, "--sandbox")
	command.Env = environment(home)
	screen, err := terminal.Start(command, s.columns, s.rows)
	if err != nil {
		return nil, err
	}
	defer screen.Kill()
	if err := tellBackground(screen, background); err != nil {
		return nil, err
	}
	for _, step := range s.steps {
		for _, key := range step.keys {
			if err := screen.Type(key); err != nil {
				return nil, err
			}
		}
		if step.visit != nil {
			if err := step.visit.pay(screen.Screen(), home); err != nil {
				return nil, err
			}
		}
		if err := screen.Await(patience, step.awaits...); err != nil {
			return nil, err
		}
	}
	g, err := settled(screen)
	if err != nil {
		return nil, err
	}
	return g.masked(slices.Concat(masks(), times())), nil
}

// settled is the screen once it has stayed the same for a moment: a frame may
// still be under way when its text is there.
func settled(screen *terminal.Terminal) (grid, error) {
	const moment = 150 * time.Millisecond
	last := screen.Screen()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		time.Sleep(moment)
		now := screen.Screen()
		if now == last {
			return gridOf(screen), nil
		}
		last = now
	}
	return nil, errors.New("the screen does not come to rest")
}
