package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"roam-mcp/internal/testutil/agent"
	"roam-mcp/internal/testutil/terminal"
)

// The moving picture, and its screen.
const (
	filmName    = "moving"
	filmColumns = 80
	filmRows    = 22
)

// act is a part of the story: keys are pressed or an agent writes, and the screen shows
// what comes of it.
type act struct {
	caption string
	unseen  string // pressed first, and not shown
	types   string // then, character by character
	key     string // then, with its name beside the caption; empty: none
	name    string
	colors  bool // the program then asks for the background's colour
	writes  map[string]any
	awaits  []string
	hold    int    // of what comes of it, in hundredths of a second
	title   string // stands over that at the beginning of the film; empty: it does not stand there
}

// Hundredths of a second that are the same in all acts.
const (
	holdTitle   = 150
	holdPressed = 50
	holdTyped   = 6
)

// story is what the moving picture tells: the sandbox, connecting, allowing, installing,
// the proof, an agent that writes, the history, and taking back.
func story() []act {
	press := func(key, caption string, hold int, awaits ...string) act {
		return act{caption: caption, key: key, name: key, awaits: awaits, hold: hold}
	}
	enter := func(caption string, hold int, awaits ...string) act {
		return act{caption: caption, key: terminal.Enter, name: "enter", awaits: awaits, hold: hold}
	}
	started := enter("The sandbox plays Roam, with sample graphs", 230, "demo", "notebook")
	started.types, started.colors = "roam-mcp --sandbox", true
	asked := enter("Roam asks you. In the sandbox, answer here", 280, "Waiting for you in Roam", "allow", "left")
	asked.unseen, asked.types = terminal.Tab+terminal.Tab+terminal.ControlU, "roam-mcp on Ada's laptop"
	return []act{
		{caption: "Try it without Roam", awaits: []string{"$"}, hold: 80},
		started,
		enter("Connect a graph, and choose what agents may do", 250, "Nickname", "enter ask Roam"),
		asked,
		press("a", "Allowed: the graph is connected", 220, "Demo is connected", "enter connect a client"),
		enter("Choose a client whose agents may use it", 160, "Where should agents find your graphs?", "Cursor"),
		enter("Nothing is written before you have seen it", 250, "write and prove"),
		enter("Installed, then proven: started and called as Cursor does it", 350, "proven just now", "get_graph_guidelines on Demo"),
		{caption: "Back to the graphs", key: terminal.Escape, name: "esc", awaits: []string{"Your graphs", "● connected", "checked"}, hold: 60},
		press("h", "All that agents write is recorded here", 150, "Nothing is recorded yet"),
		{caption: "You, in Cursor: “The oven is £4,450, and the electrician is booked.”", hold: 250},
		{
			caption: "The agent writes, and the history shows what it changed", hold: 450,
			writes: booked(), awaits: []string{"ended", "update_blocks", "● done", "£4,450", "as it was left"},
			title: "roam-mcp: agents work in your Roam graphs, and you see what they do",
		},
		press("u", "Not what you wanted? Undo asks first", 200, "to be undone"),
		press("y", "Taken back", 100, "undone by 2", "changed since"),
		{caption: "Taken back, and that is recorded too", key: terminal.Up, name: "↑", awaits: []string{"2 undo by you", "as it was left"}, hold: 400},
	}
}

// booked are arguments of update_blocks.
func booked() map[string]any {
	return map[string]any{"updates": []map[string]any{
		{"uid": "ovenPrice", "find": "£4,200", "replace": "£4,450"},
		{"uid": "oven-elec", "todo": "done"},
	}}
}

// camera takes shots of a screen.
type camera struct {
	screen     *terminal.Terminal
	home       string
	background backdrop
	caption    string
	shots      []shot
	clock      clock
}

// shoot plays the story on a background and gives it as a GIF.
func shoot(p *pen, program, home string, background backdrop) ([]byte, error) {
	// The folder makes a client seem to be on this machine, and PATH no other.
	if err := errors.Join(moveIn(home, "", true), os.Mkdir(filepath.Join(home, ".cursor"), 0o700)); err != nil {
		return nil, err
	}
	shell := exec.Command("/bin/sh", "-i")
	shell.Env = append(environment(home), "PS1=$ ", "PATH="+filepath.Dir(program))
	screen, err := terminal.Start(shell, filmColumns, filmRows)
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = screen.Type(terminal.ControlC + terminal.ControlC) // the program, then the shell
		screen.Kill()
	}()
	c := &camera{screen: screen, home: home, background: background, clock: clock{}}
	var title []shot
	for _, a := range story() {
		if err := c.play(a); err != nil {
			return nil, fmt.Errorf("%s: %w", a.caption, err)
		}
		if a.title != "" {
			title = []shot{{screen: c.shots[len(c.shots)-1].screen, caption: a.title, hold: holdTitle}}
		}
	}
	return develop(p, append(title, c.shots...), background)
}

// play leads the screen through the act.
func (c *camera) play(a act) error {
	if err := c.presses(a); err != nil {
		return err
	}
	if a.colors {
		if err := tellBackground(c.screen, c.background); err != nil {
			return err
		}
	}
	if a.writes != nil {
		if err := cursorWrites(c.home, a.writes); err != nil {
			return err
		}
	}
	if err := c.screen.Await(patience, a.awaits...); err != nil {
		return err
	}
	c.caption = a.caption
	return c.take("", a.hold)
}

// presses types the text and presses the key, under the caption of the act before.
func (c *camera) presses(a act) error {
	if err := c.screen.Type(a.unseen); err != nil {
		return err
	}
	for i, char := range a.types {
		if err := c.screen.Type(string(char)); err != nil {
			return err
		}
		if err := c.screen.Await(patience, strings.TrimSpace(a.types[:i]+string(char))); err != nil {
			return err
		}
		if err := c.take("", holdTyped); err != nil {
			return err
		}
	}
	if a.key == "" {
		return nil
	}
	if err := c.take(a.name, holdPressed); err != nil {
		return err
	}
	c.clock.passes()
	return c.screen.Type(a.key)
}

// take adds what the screen shows once it has come to rest.
func (c *camera) take(key string, hold int) error {
	screen, err := settled(c.screen)
	if err != nil {
		return err
	}
	at := 0
	for _, s := range c.shots {
		at += s.hold
	}
	c.clock.set(screen.masked(masks()), time.Duration(at)*10*time.Millisecond)
	c.shots = append(c.shots, shot{screen: screen, caption: c.caption, key: key, hold: hold})
	return nil
}

// cursorWrites has an agent in Cursor call update_blocks, over the server that the entry
// in Cursor's file starts.
func cursorWrites(home string, arguments map[string]any) error {
	data, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil {
		return err
	}
	var file struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	entry := file.Servers["roam-sandbox"]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server := exec.CommandContext(ctx, entry.Command, entry.Args...)
	server.Env = environment(home)
	cursor, err := agent.Start(ctx, "cursor", server)
	if err != nil {
		return err
	}
	text, refused, err := cursor.Call(ctx, "update_blocks", arguments)
	if err == nil && refused {
		err = errors.New(text)
	}
	return errors.Join(err, cursor.Close())
}
