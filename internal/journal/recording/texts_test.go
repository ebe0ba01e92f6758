package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// word is an answer of Roam to whether a graph is encrypted.
type word struct {
	result string
	err    error
}

func fails(status int, code problem.Code) word {
	return word{err: &problem.Error{Code: code, Message: "No.", Call: &problem.Call{Action: localapi.EncryptionAction, Status: status, Sent: true}}}
}

// words are the answers, by what they are. Only no and yes are of a Roam that does as
// LOCAL_API.md 2.5 says.
func words() map[string]word {
	return map[string]word{
		"no": {result: `false`}, "yes": {result: `true`},
		"the word true": {result: `"true"`}, "the word false": {result: `"false"`}, "null": {result: `null`}, "nothing": {},
		"an unknown action": fails(404, localapi.CodeUnknownAction), "not found": fails(404, localapi.CodeNotFound),
		"an exception":        fails(500, localapi.CodeInternal),
		"a broken connection": fails(0, localapi.CodeConnectionFailed), "a closed window": fails(500, localapi.CodeWindowClosed),
	}
}

// transient are the words after which Roam is asked again at the next write.
var transient = map[string]bool{"a broken connection": true, "a closed window": true}

// asked is a Recorder with a journal on disk, of a Roam with one word.
type asked struct {
	*world
	journal *history.Journal
	word    word
}

func newAsked(t *testing.T, suite *profiletest.Suite, word word) *asked {
	a := &asked{world: newWorld(t, suite), word: word}
	a.journal = history.New(history.Options{Folder: journaltest.Folder(t, filepath.Join(t.TempDir(), "history")), Kind: history.KindStdio, Now: a.Clock.Now})
	a.recorder = recording.New(recording.Options{Journal: a.journal, Now: a.Clock.Now})
	t.Cleanup(func() { require.NoError(t, a.recorder.Close(context.Background())) })
	return a
}

// Send implements ops.Caller.
func (a *asked) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	if action != localapi.EncryptionAction {
		return a.world.Send(ctx, action, args...)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, action)
	return localapi.Reply{Result: json.RawMessage(a.word.result)}, a.word.err
}

// Look implements ops.Caller.
func (a *asked) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return a.Send(ctx, action, args...)
}

// write changes the text of a block to another one, with what the user has said.
func (a *asked) write(said recording.Keeping, text string) {
	a.T.Helper()
	graph := a.Graph(profiletest.MainGraph)
	r := a.recorder.Call(recording.Call{
		Graph: graph, Tool: "a_tool", Args: json.RawMessage(`{"string":"` + text + `"}`), Who: history.Who{Agent: "test"}, Keeps: said, Later: a,
	})
	g := ops.New(ops.Options{Now: a.Clock.Now}).On(graph, a).RecordedBy(r)
	_, err := g.UpdateBlock(a.T.Context(), ops.BlockUpdate{UID: "one", String: &text})
	require.NoError(a.T, err)
}

// times returns how often Roam was asked.
func (a *asked) times() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, action := range a.calls {
		if action == localapi.EncryptionAction {
			n++
		}
	}
	return n
}

// kept returns all that is in the journal, and what it has to tell.
func (a *asked) kept() (export, notices string) {
	a.T.Helper()
	var text bytes.Buffer
	require.NoError(a.T, a.journal.Export(a.T.Context(), &text, history.Filter{}))
	list, err := a.journal.Notices(a.T.Context())
	require.NoError(a.T, err)
	for _, n := range list {
		notices += n.Message + " " + problem.World{}.Say(n.Hint)
	}
	return text.String(), notices
}

// TestTextsAreKeptOnlyIfRoamSaysNo holds the table of HISTORY.md, What is kept, for all that
// Roam can answer.
func TestTextsAreKeptOnlyIfRoamSaysNo(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Export: export})
	for name, word := range words() {
		for said, means := range map[recording.Keeping]string{recording.Unsaid: "unsaid", recording.All: "on", recording.NoTexts: "off"} {
			t.Run(name+", and the user says "+means, func(t *testing.T) {
				a := newAsked(t, suite, word)
				a.write(said, "Sesame")
				a.write(said, "Sesame again")
				require.NoError(t, a.recorder.Close(context.Background())) // what the writes left is read
				text, notices := a.kept()
				want := said == recording.All || said == recording.Unsaid && name == "no"
				if got := strings.Contains(text, "Sesame"); got != want {
					t.Errorf("a text is kept: %v\n%s", got, text)
				}
				if got := strings.Contains(text, `"one"`); !want && !got {
					t.Errorf("it is not said what was written to:\n%s", text)
				}
				tells := said == recording.Unsaid && name != "no" && name != "yes" && !transient[name]
				if got := strings.Contains(notices, "roam-mcp history on --graph work"); got != tells || !tells && notices != "" {
					t.Errorf("the notices say %q", notices)
				}
				if keeps := a.recorder.KnowsToKeep(a.Graph(profiletest.MainGraph), said); keeps != want {
					t.Errorf("it knows to keep texts: %v", keeps)
				}
			})
		}
	}
}

func TestRoamIsAskedAboutEncryption(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Export: export})
	for name, word := range words() {
		t.Run("and answers "+name, func(t *testing.T) {
			a := newAsked(t, suite, word)
			var times []int
			write := func() {
				a.write(recording.Unsaid, fmt.Sprintf("text %d", len(times)))
				times = append(times, a.times())
			}
			write()
			write()
			a.Clock.Advance(11 * time.Minute)
			write()
			want := "[1 1 2]" // after a while
			switch {
			case transient[name]:
				want = "[1 2 3]"
			case name == "no", name == "yes":
				want = "[1 1 1]"
			}
			if got := fmt.Sprint(times); got != want {
				t.Errorf("it was asked %s times, want %s", got, want)
			}
		})
	}
	t.Run("and answers at last, so that texts are kept and nothing is told", func(t *testing.T) {
		a := newAsked(t, suite, words()["null"])
		a.write(recording.Unsaid, "Sesame")
		a.word = words()["no"]
		a.Clock.Advance(11 * time.Minute)
		a.write(recording.Unsaid, "Barley")
		require.NoError(t, a.recorder.Close(context.Background()))
		if text, notices := a.kept(); !strings.Contains(text, "Barley") || notices != "" {
			t.Errorf("the notices say %q, and the journal has\n%s", notices, text)
		}
	})
}
