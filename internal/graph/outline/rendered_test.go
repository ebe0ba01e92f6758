package outline

import (
	"strings"
	"testing"
)

func TestStoredText(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain text":           {"Hello **you**", "Hello **you**"},
		"tag and bullet":       {`  - See this <roam uid="a" refs="2"/>`, "See this"},
		"a bullet without tag": {"- a", "- a"},
		"lines":                {"one\ntwo <roam uid=\"a\"/>", "one\ntwo"},
		"a dash inside":        {"a - b", "a - b"},
		"an empty text":        {"", ""},
		"a tag-like nothing":   {"<roamer/> stays", "<roamer/> stays"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := StoredText(tc.in); err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	if _, err := StoredText(`long <roam uid="a" truncated="200"/>`); err != ErrTruncated {
		t.Errorf("cut text: %v", err)
	}
	if _, err := StoredText("- a <roam uid=\"a\"/>\n  - b <roam uid=\"b\"/>"); err != ErrSeveralBlocks {
		t.Errorf("two blocks: %v", err)
	}
}

func TestPlainText(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"a reference":        {`See ((k4B2xY9pL))<ref>ship the fix</ref> now <roam uid="a"/>`, "See ((k4B2xY9pL)) now"},
		"two references":     {`((a1))<ref>x</ref> and ((b2))<ref>y</ref>`, "((a1)) and ((b2))"},
		"previews in code":   {"`((a1))<ref>x</ref>` ((b2))<ref>y</ref>", "`((a1))<ref>x</ref>` ((b2))"},
		"one behind another": {`((a1))<ref>x</ref><ref>y</ref>`, "((a1))<ref>y</ref>"},
		"bullets":            {"- a", "- a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PlainText(tc.in); got != tc.want {
				t.Errorf("got %q; want %q", got, tc.want)
			}
		})
	}
}

func FuzzRenderedBlocks(f *testing.F) {
	f.Add("# Page <roam uid=\"p\"/>\n\n- a <roam uid=\"a\" refs=\"2\"/>\n  - b\n    c <roam uid=\"b\"/>\n")
	f.Add("- old form\n  - child\nmore\n")
	f.Fuzz(func(t *testing.T, markdown string) {
		var sources strings.Builder
		blocks := RenderedBlocks(markdown)
		for _, b := range blocks {
			sources.WriteString(b.Source)
			_, _ = b.Text(), b.Title()
		}
		// Empty lines before the first block belong to none.
		if got := sources.String(); !strings.HasSuffix(markdown, got) || strings.TrimSpace(strings.TrimSuffix(markdown, got)) != "" {
			t.Errorf("%q became %q", markdown, got)
		}
		if len(RenderedChildren(blocks)) > len(blocks) {
			t.Error("there are more children than blocks")
		}
	})
}
