package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
)

const (
	beforeFaults = "- one two three\n- alpha\n- beta\n- gamma\n- delta\n- parent\n  - child moves\n- goes\n  - goes too\n- secret #.rm-hide\n"
	afterFaults  = "- one two four\n- beta\n- gamma\n- alpha\n- delta\n- parent\n- made alone\n  - child moves\n- made\n  - of markdown\n- and more"
)

// Each write of a Rewrite is broken in each way once.
func TestRewrite_brokenAtEachWrite(t *testing.T) {
	b := newBox(t)
	var writes []string
	isWrite := func(action string) bool { return strings.HasPrefix(action, "data.block.") }
	rewrite := func(t *testing.T, title string) (uid string, told Rewritten, err error) {
		t.Helper()
		b.t = t
		uid = b.page(title, beforeFaults)
		fresh := read(t, b.graph(), uid)
		writes = slices.DeleteFunc(b.counted(func() {
			g := b.graph().AllowPartial()
			told, err = g.Rewrite(t.Context(), fresh, note.Parse(afterFaults).Blocks, nil)
			err = g.PartialFailure(err)
		}), func(action string) bool { return !isWrite(action) })
		return uid, told, err
	}
	_, whole, err := rewrite(t, "whole")
	require.NoError(t, err)
	if want := "updateBlocks reorderBlocks create fromMarkdown move deleteBlocks"; strings.ReplaceAll(strings.Join(writes, " "), "data.block.", "") != want {
		t.Fatalf("it writes %v, want %s", writes, want)
	}
	if want := (Rewritten{Updated: 1, Inserted: 4, Moved: 2, Deleted: 2, Referred: []Referring{}}); fmt.Sprint(whole) != fmt.Sprint(want) {
		t.Errorf("it did %+v, want %+v", whole, want)
	}
	all := slices.Clone(writes)
	for at, action := range all {
		for _, kind := range []faultproxy.Kind{faultproxy.ResetBefore, faultproxy.Fail, faultproxy.ResetAfter, faultproxy.Half, faultproxy.FailAfter} {
			name := fmt.Sprintf("%s, %v", strings.TrimPrefix(action, "data.block."), kind)
			t.Run(name, func(t *testing.T) {
				b.fault = func(asked string, n int) faultproxy.Fault {
					if asked == action && n == 1 {
						return faultproxy.Fault{Kind: kind, Status: 500, Text: "Unexpected failure"}
					}
					return faultproxy.Fault{}
				}
				uid, told, err := rewrite(t, name)
				b.fault = nil
				after := read(t, b.graph(), uid)
				if err == nil {
					if fmt.Sprint(told) != fmt.Sprint(whole) || kind == faultproxy.ResetBefore || kind == faultproxy.Fail {
						t.Errorf("it did %+v", told)
					}
				} else {
					checkHalfway(t, err, at, len(writes), after)
				}
				_, err = b.graph().Rewrite(t.Context(), after, note.Parse(afterFaults).Blocks, nil)
				require.NoError(t, err)
				want := strings.ReplaceAll(afterFaults, "- ", "") + "\nsecret #.rm-hide\n"
				if got := lines(read(t, b.graph(), uid)); got != want {
					t.Errorf("in the end there is\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// checkHalfway holds an error against what the page is like.
func checkHalfway(t *testing.T, err error, at, sent int, after note.Node) {
	t.Helper()
	failed, ok := problem.As(err)
	if !ok || sent != at+1 {
		t.Fatalf("got %v; %d writes were sent, and the one at %d failed", err, sent, at)
	}
	done, _ := failed.Detail(DetailDone).(map[string][]string)
	if at > 0 != (len(done) > 0) || at > 0 != strings.HasPrefix(failed.Message, "Only a part was written") {
		t.Errorf("it says %v: %v", failed, done)
	}
	there := append(slices.Collect(maps.Values(byText(after))), after.UID)
	for kind, uids := range done {
		for _, uid := range uids {
			if slices.Contains(there, uid) == (kind == "deleted") {
				t.Errorf("%s: %s", kind, uid)
			}
		}
	}
}

// A block that is to go, and that Roam says it does not find, is looked for.
func TestRewrite_believesThatABlockHasGoneWhenItHas(t *testing.T) {
	for name, tc := range map[string]struct {
		kind faultproxy.Kind
		code problem.Code
	}{
		"it is there": {faultproxy.Fail, localapi.CodeNotFound}, "it has gone": {faultproxy.FailAfter, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			uid := b.page(name, "- stays\n- goes\n- goes too\n")
			b.fault = func(asked string, n int) faultproxy.Fault {
				switch {
				case asked == "data.block.deleteBlocks":
					return faultproxy.Fault{Kind: faultproxy.Fail, Status: 404, Text: "Unknown action"}
				case asked == "data.block.delete" && n == 1:
					return faultproxy.Fault{Kind: tc.kind, Status: 500, Text: "Block with uid x not found"}
				}
				return faultproxy.Fault{}
			}
			_, err := b.graph().Rewrite(t.Context(), read(t, b.graph(), uid), note.Parse("- stays").Blocks, nil)
			if problem.CodeOf(err) != tc.code {
				t.Error(err)
			}
			if stays := lines(read(t, b.graph(), uid)); (stays == "stays\n") != (err == nil) {
				t.Errorf("there is\n%s, and the error is %v", stays, err)
			}
		})
	}
}
