//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// callArguments are arguments of the tools of each profile, in the order in which they are
// called. Tools that are not named get none.
func callArguments() map[string][][2]string {
	return map[string][][2]string{
		"roam": {
			{"get_page", `{"title":"Projects/Apollo"}`}, {"get_page", `{"pages":["Ada","saturnv01"],"plain":true}`}, {"get_block", `{"uid":"ap0000001"}`}, {"get_backlinks", `{"title":"Ada"}`},
			{"get_comments", `{"blockUid":"ap0000001"}`}, {"search", `{"query":"engine"}`}, {"search_templates", `{"query":"x"}`}, {"find_path", `{"from":"Ada","to":"Grace"}`}, {"recent_changes", `{"since":"2024-01-01"}`},
			{"roam_query", `{"query":"{and: [[Ada]] [[Grace]]}"}`}, {"datalog_query", `{"query":"[:find ?t :where [_ :node/title ?t]]"}`}, {"semantic_search", `{"query":"rocket"}`}, {"suggest_links", `{"text":"Ada and Grace"}`},
			{"create_page", `{"title":"Plan","markdown":"- one\n  - two"}`}, {"create_block", `{"parentUid":"ada000001","markdown":"- three"}`}, {"append_to_daily_note", `{"markdown":"four"}`}, {"add_comment", `{"blockUid":"ap0000001","markdown":"five"}`},
			{"update_block", `{"uid":"ad0000002","string":"Likes #coffee"}`}, {"update_blocks", `{"updates":[{"uid":"ad0000001","string":"Met"},{"uid":"gr0000001","string":"Compiles"}]}`}, {"update_page", `{"uid":"grace0001","title":"Grace Hopper"}`},
			{"move_block", `{"uid":"gl0000001","parentUid":"ada000001"}`}, {"move_blocks", `{"uids":["gl0000002"],"parentUid":"grace0001"}`}, {"delete_block", `{"uid":"or0000001"}`}, {"delete_blocks", `{"uids":["sh0000001","sh0000002"]}`},
			{"delete_page", `{"uid":"orphan001"}`}, {"add_shortcut", `{"uid":"ada000001"}`}, {"remove_shortcut", `{"uid":"ada000001"}`}, {"open_main_window", `{"uid":"ada000001"}`}, {"open_sidebar", `{"uid":"ada000001"}`},
			{"file_upload", `{"base64":"aGVsbG8=","filename":"a.txt","mimetype":"text/plain"}`}, {"update_block", `{"uid":"nothere12","string":"x"}`}, {"get_page", `{"titel":"x"}`},
		},
		"graph": {
			{"search", `{"query":"engine"}`}, {"get_node", `{"id":"Ada","depth":1}`}, {"get_neighbors", `{"id":"Ada"}`}, {"find_path", `{"source":"Ada","target":"Glossary"}`}, {"get_hubs", `{}`}, {"search_by_tags", `{"tags":["rocket"]}`},
			{"random_node", `{"tags":["rocket"]}`}, {"list_nodes", `{}`}, {"resolve_nodes", `{"names":["ada"]}`}, {"nodes_exist", `{"ids":["Ada"]}`}, {"create_node", `{"title":"Plan","content":"see [[Ada]]"}`}, {"update_node", `{"id":"Grace","title":"Grace Hopper"}`},
			{"delete_node", `{"id":"Orphan"}`}, {"get_node", `{"id":"Adda"}`},
		},
		"notes": {
			{"get_notes", `{}`}, {"get_note", `{"id":"ada000001"}`}, {"search_notes", `{"query":"engine"}`}, {"create_note", `{"content":"one","title":"Plan"}`}, {"update_note", `{"id":"grace0001","title":"Grace Hopper"}`},
			{"toggle_pin", `{"id":"ada000001"}`}, {"toggle_archive", `{"id":"ada000001"}`}, {"delete_note", `{"id":"orphan001"}`}, {"get_note", `{"id":"nothere"}`},
		},
		"wiki": {
			{"search_notes", `{"query":"engine"}`}, {"get_note", `{"path":"Saturn V"}`}, {"browse", `{}`}, {"get_backlinks", `{"path":"Ada"}`}, {"create_note", `{"path":"Plan","title":"Plan","content":"one"}`}, {"update_note", `{"path":"Grace","title":"Grace Hopper"}`},
			{"get_note_history", `{"path":"Plan"}`}, {"get_note_version", `{"path":"Plan","version":"abc1234"}`}, {"diff_note_versions", `{"path":"Plan","from_version":"abc1234","to_version":"abc1235"}`}, {"restore_note_version", `{"path":"Plan","version":"abc1234"}`},
			{"edit_note", `{"path":"Ada","append":"more"}`}, {"delete_note", `{"path":"Orphan"}`},
		},
		"outline": {
			{"list_pages", `{}`}, {"get_page_content", `{"page_name":"Ada"}`}, {"search", `{"query":"engine"}`}, {"get_block", `{"block_uuid":"ad0000001"}`}, {"datascript_query", `{"query":"[:find ?t :where [_ :node/title ?t]]"}`},
			{"create_page", `{"title":"Plan","content":"- one"}`}, {"update_page", `{"page_name":"Grace","content":"- two"}`}, {"create_block", `{"parent_block_uuid":"ad0000001","content":"three"}`}, {"update_block", `{"block_uuid":"ad0000002","content":"four"}`},
			{"move_block", `{"block_uuid":"gl0000001","target_block_uuid":"ad0000001"}`}, {"delete_block", `{"block_uuid":"gl0000002"}`}, {"delete_page", `{"page_name":"Orphan"}`},
		},
	}
}

// TestACallAnswersAsTheServerDoes makes the same calls from the shell and over standard
// streams, each to a graph of its own: the replies are the same but for times and uids, and for
// tools that are named as commands; and so is what is recorded. What an agent has changed itself
// is another thing: the calls of a shell are one session.
func TestACallAnswersAsTheServerDoes(t *testing.T) {
	t.Parallel()
	for _, profile := range mcpserve.Profiles() {
		t.Run(profile.Name, func(t *testing.T) {
			t.Parallel()
			suite := profiletest.NewSuite(t, profiletest.Options{Profile: profile.Name})
			shell, server := newParity(t, suite, profile.Name), newParity(t, suite, profile.Name)
			calls, named := callArguments()[profile.Name], map[string]bool{}
			for _, each := range calls {
				named[each[0]] = true
			}
			for _, tool := range profile.Tools {
				if !named[tool.Name] && tool.Toolset != "history" {
					calls = append(calls, [2]string{tool.Name, "{}"})
				}
			}
			for i, each := range calls {
				if race.Enabled && i%16 != 0 { // the processes share nothing but files
					continue
				}
				fromShell, fromServer := shell.say(shell.call(each[0], each[1])), server.say(server.serve(each[0], each[1]))
				if fromShell != fromServer {
					t.Errorf("%s %s: from the shell\n%s\nfrom the server\n%s", each[0], each[1], fromShell, fromServer)
				}
				if a, b := shell.recorded(), server.recorded(); a != b {
					t.Errorf("%s %s: %d calls are recorded, %d of the server", each[0], each[1], a, b)
				}
			}
		})
	}
}

// parity is a graph, and the home of the programs that are asked about it.
type parity struct {
	t             *testing.T
	profile, home string
	steady        *profiletest.Steady
	journal       *history.Journal
}

func newParity(t *testing.T, suite *profiletest.Suite, profile string) *parity {
	w := suite.World(t)
	home := filepath.Dir(w.Store.Path())
	require.NoError(t, os.Rename(w.Store.Path(), filepath.Join(home, configName)))
	journal := history.New(history.Options{Folder: history.Folder(runtime.GOOS, home, filepath.Join(home, "state")), Kind: history.KindCLI})
	t.Cleanup(func() { _ = journal.Close(context.Background()) })
	return &parity{t: t, profile: profile, home: home, steady: w.Steady(), journal: journal}
}

// command returns a run of the program.
func (p *parity) command(args ...string) *exec.Cmd {
	command := exec.Command(programPath(p.t, "roam-mcp"), args...)
	command.Env = append(os.Environ(), "HOME="+p.home, "XDG_STATE_HOME="+filepath.Join(p.home, "state"))
	command.Dir = p.home
	return command
}

// call returns the reply to a call from the shell.
func (p *parity) call(tool, arguments string) []byte {
	command := p.command("call", "--profile", p.profile, "--json", tool, arguments)
	var refused bytes.Buffer
	command.Stderr = &refused
	reply, err := command.Output()
	if err != nil && len(reply) == 0 { // an error of the protocol
		text, _, _ := strings.Cut(refused.String(), "\n")
		return []byte(strings.TrimSuffix(text[strings.LastIndex(text, ": ")+2:], "."))
	}
	return bytes.TrimSpace(reply)
}

// serve returns the reply to a call of a client that the server was started for.
func (p *parity) serve(tool, arguments string) []byte {
	client := mcp.NewClient(&mcp.Implementation{Name: history.ClientShell, Version: "1"}, nil)
	session, err := client.Connect(p.t.Context(), &mcp.CommandTransport{Command: p.command("serve", "--profile", p.profile, "--toolsets", "all")}, nil)
	require.NoError(p.t, err)
	defer func() { _ = session.Close() }()
	result, err := session.CallTool(p.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		text := err.Error()
		return []byte(text[strings.LastIndex(text, ": ")+2:])
	}
	reply, err := json.Marshal(result)
	require.NoError(p.t, err)
	return reply
}

var (
	timesInReplies  = regexp.MustCompile(`20\d\d-\d\d-\d\dT[\d:.]+Z|_ms\\":\d+`)
	toolsAsCommands = regexp.MustCompile(`roam-mcp call( --profile \w+)? `)
)

// say returns a reply without what differs in each run.
func (p *parity) say(reply []byte) string {
	return toolsAsCommands.ReplaceAllString(timesInReplies.ReplaceAllString(p.steady.Text(string(reply)), "TIME"), "")
}

// recorded returns how many calls are in the journal.
func (p *parity) recorded() int {
	page, err := p.journal.Calls(p.t.Context(), history.Filter{Limit: 200})
	require.NoError(p.t, err)
	return len(page.Calls)
}

// Calls that are made at once from many shells are all made, once, and all recorded.
func TestCallsAtOnceAreAllMade(t *testing.T) {
	t.Parallel()
	s := newShared(t, onPage("Page", "page00001"))
	s.unchecked = true
	program := shellProgram(t)
	var calls sync.WaitGroup
	for i := range callsAtOnce {
		calls.Go(func() {
			command := exec.Command(program, "call", "create_block", "parentUid=page00001", fmt.Sprintf("markdown=line %d", i))
			command.Env = append(os.Environ(), "HOME="+s.home, "XDG_STATE_HOME="+filepath.Join(s.home, "state"))
			var said bytes.Buffer
			command.Stderr = &said
			if err := command.Run(); err != nil || said.Len() > 0 {
				t.Errorf("call %d: %v\n%s", i, err, said.String())
			}
		})
	}
	calls.Wait()
	now := s.graph("page00001")
	for i := range callsAtOnce {
		if n := now.numberOf(fmt.Sprintf("line %d", i)); n != 1 {
			t.Errorf("line %d is there %d times", i, n)
		}
	}
	states := map[history.State]int{}
	for _, record := range s.records(history.Filter{Limit: 200}) {
		for _, change := range record.Changes {
			states[change.State]++
		}
	}
	if s.writes != callsAtOnce || states[history.StateDone] != callsAtOnce {
		t.Errorf("%d calls, %d writes; recorded %v", callsAtOnce, s.writes, states)
	}
}
