package recording_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// refusing are a text that changes, and blocks that are added.
func refusing() map[string]func(ctx context.Context, g *ops.Graph) error {
	return map[string]func(ctx context.Context, g *ops.Graph) error{
		"an edit": writes["change a text"],
		"an append": func(ctx context.Context, g *ops.Graph) error {
			_, err := g.CreateBlocks(ctx, ops.NewBlocks{Location: ops.Location{ParentUID: "list"}, Markdown: "more"}, "")
			return err
		},
	}
}

func TestPolicy(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Export: export})
	var told strings.Builder
	for _, tc := range []struct {
		name  string
		keeps recording.Keeping
		set   func(w *world)
	}{
		{"the journal can't be written", recording.All, func(w *world) {
			w.ledger.intend = func(history.Intent) error {
				return &problem.Error{Code: history.CodeUnavailable, Message: "The disk is full.", Hint: problem.Say("Make room.")}
			}
		}},
		{"a later version wrote the journal", recording.All, func(w *world) {
			w.ledger.intend = func(history.Intent) error {
				return &problem.Error{Code: history.CodeTooNew, Message: "A newer roam-mcp wrote the history.", Hint: problem.Say("Update this one.")}
			}
		}},
		{"what is there is more than a record keeps", recording.All, func(w *world) {
			w.fail = func(action string) error {
				return map[string]error{"data.pull_many": fact.ErrTooLarge}[action]
			}
		}},
		{"Roam does not tell what is there", recording.All, func(w *world) {
			w.fail = func(action string) error {
				if action != "data.pull_many" && action != "q" {
					return nil
				}
				return &problem.Error{Code: localapi.CodeUnsupportedRoam, Message: "It lacks it.", Call: &problem.Call{Action: action, Status: 404, Sent: true}}
			}
		}},
		{"Roam fails to tell what is there", recording.All, func(w *world) {
			failed := false
			w.fail = func(action string) error {
				if failed || action != "data.pull_many" {
					return nil
				}
				failed = true
				return &problem.Error{Code: localapi.CodeTimeout, Message: "No answer.", Call: &problem.Call{Action: action, Sent: true}}
			}
		}},
		{"others are writing to the same blocks all the time", recording.All, func(w *world) {
			w.ledger.intend = func(in history.Intent) error {
				if in.Mark == 0 {
					return nil
				}
				return history.ErrLookAgain
			}
		}},
		{"others wrote to the same blocks after the look", recording.All, func(w *world) {
			again := 2
			w.ledger.intend = func(in history.Intent) error {
				if again--; in.Mark == 0 || again < 0 {
					return nil
				}
				return history.ErrLookAgain
			}
		}},
		{"the user wants no texts to be kept", recording.NoTexts, nil},
		{"the user has not said, and the graph is encrypted", recording.Unsaid, func(w *world) { w.Switch("encrypted=work") }},
		{"the user has not said, and the graph is not encrypted", recording.Unsaid, nil},
		{"the user has not said, and Roam does not answer", recording.Unsaid, func(w *world) {
			w.fail = func(action string) error {
				return map[string]error{"graph.isEncrypted": errors.New("no answer")}[action]
			}
		}},
	} {
		for _, what := range []string{"an append", "an edit"} {
			w := newWorld(t, suite)
			if tc.set != nil {
				tc.set(w)
			}
			g, r := w.call(tc.keeps)
			err := refusing()[what](t.Context(), g)
			told.WriteString("# " + tc.name + ": " + what + "\n")
			if failed, ok := problem.As(err); ok {
				told.WriteString(string(failed.Code) + ": " + failed.Message + " " + problem.World{}.Say(failed.Hint) + map[problem.Retry]string{problem.RetryLater: " (retry later)", problem.RetryNever: " (no retry)"}[failed.Retry] + "\n")
			} else {
				require.NoError(t, err)
			}
			if r.Unrecorded() {
				told.WriteString("not recorded\n")
			}
			recorded := w.recorded(t)
			told.WriteString("sent: " + w.sentInOrder() + "\n" + recorded + "\n")
		}
	}
	golden.File(t, filepath.Join("testdata", "policy.golden"), told.String())
}
