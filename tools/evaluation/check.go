package evaluation

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// Check returns nil if the end is as it should be, or what is wrong with it.
type Check func(*End) error

// all requires every check.
func all(checks ...Check) Check {
	return func(e *End) error {
		var problems []error
		for _, check := range checks {
			problems = append(problems, check(e))
		}
		return errors.Join(problems...)
	}
}

// says requires each of the patterns in the answer. Patterns are regular expressions
// without regard to case, here and below.
func says(patterns ...string) Check {
	return func(e *End) error {
		var problems []error
		for _, pattern := range patterns {
			if !matches(pattern, e.plain()) {
				problems = append(problems, fmt.Errorf("the answer does not say %q", pattern))
			}
		}
		return errors.Join(problems...)
	}
}

// saysNot requires that none of the patterns is in the answer.
func saysNot(patterns ...string) Check {
	return func(e *End) error {
		for _, pattern := range patterns {
			if matches(pattern, e.plain()) {
				return fmt.Errorf("the answer says %q", pattern)
			}
		}
		return nil
	}
}

// inOrder requires the patterns in the answer, one behind the other.
func inOrder(patterns ...string) Check { return says("(?s)" + strings.Join(patterns, ".*")) }

func matches(pattern, text string) bool {
	return regexp.MustCompile("(?i)" + pattern).MatchString(text)
}

// plain returns an answer without what markdown adds, and with plain spaces.
func (e *End) plain() string {
	return strings.NewReplacer("**", "", "`", "", "\u202f", " ", "\u00a0", " ").Replace(e.Answer)
}

// below returns the blocks under a path of patterns; each is the first that matches among
// the children of the one before. The path may be empty.
func below(blocks []outline.Block, path []string) ([]outline.Block, bool) {
	for _, pattern := range path {
		i := slices.IndexFunc(blocks, func(b outline.Block) bool { return matches(pattern, b.String) })
		if i < 0 {
			return nil, false
		}
		blocks = blocks[i].Children
	}
	return blocks, true
}

// has requires blocks that match the path, each a child of the one before, the first at
// the top of the page.
func has(page string, path ...string) Check {
	return func(e *End) error {
		if _, found := below(e.blocks(page), path); !found {
			return fmt.Errorf("the page %q lacks %q:\n%s", page, path, show(e.blocks(page)))
		}
		return nil
	}
}

// hasNot requires that no block anywhere on the page matches.
func hasNot(page, pattern string) Check {
	return func(e *End) error {
		if found := anywhere(e.blocks(page), pattern); found != nil {
			return fmt.Errorf("the page %q still has %q", page, found.String)
		}
		return nil
	}
}

// hasSomewhere requires a block that matches, at any depth.
func hasSomewhere(page, pattern string) Check {
	return func(e *End) error {
		if anywhere(e.blocks(page), pattern) == nil {
			return fmt.Errorf("the page %q has no %q:\n%s", page, pattern, show(e.blocks(page)))
		}
		return nil
	}
}

func anywhere(blocks []outline.Block, pattern string) *outline.Block {
	for i := range blocks {
		if matches(pattern, blocks[i].String) {
			return &blocks[i]
		}
		if found := anywhere(blocks[i].Children, pattern); found != nil {
			return found
		}
	}
	return nil
}

// ordered requires the children under a path to match the patterns: each in its turn, and
// no others among them. Those before the first and behind the last are not looked at.
func ordered(page string, path []string, patterns ...string) Check {
	return func(e *End) error {
		children, found := below(e.blocks(page), path)
		at := 0
		if found {
			at = slices.IndexFunc(children, func(b outline.Block) bool { return matches(patterns[0], b.String) })
		}
		if !found || at < 0 || len(children) < at+len(patterns) {
			return fmt.Errorf("the page %q lacks %q under %q:\n%s", page, patterns, path, show(e.blocks(page)))
		}
		for i, pattern := range patterns {
			if !matches(pattern, children[at+i].String) {
				return fmt.Errorf("under %q of %q there is %q where %q should be", path, page, children[at+i].String, pattern)
			}
		}
		return nil
	}
}

// isBlock requires a block to be as the function says.
func isBlock(uid, should string, right func(*End, graphdb.EID) bool) Check {
	return func(e *End) error {
		block := outline.ByUID(e.Graph, uid)
		if block == 0 {
			return fmt.Errorf("the block %s is gone", uid)
		}
		if !right(e, block) {
			return fmt.Errorf("the block %q %s", e.text(uid), should)
		}
		return nil
	}
}

// isText requires the text of a block.
func isText(uid, text string) Check {
	return isBlock(uid, "should read "+text, func(e *End, _ graphdb.EID) bool { return e.text(uid) == text })
}

// isUnder requires the parent of a block, by its uid, and all that was below the block to
// be there still.
func isUnder(uid, parent string) Check {
	return isBlock(uid, "should be under "+parent, func(e *End, block graphdb.EID) bool {
		before := outline.ReadTree(e.Start, outline.ByUID(e.Start, uid))
		return e.Graph.String(outline.Parent(e.Graph, block), graphdb.BlockUID) == parent &&
			show(before) == show(outline.ReadTree(e.Graph, block))
	})
}

// isGone requires that there is no such block or page.
func isGone(uid string) Check {
	return func(e *End) error {
		if outline.ByUID(e.Graph, uid) != 0 {
			return fmt.Errorf("%s is still there", uid)
		}
		return nil
	}
}

// isTitled requires the title of a page, by its uid, and none that has the old one.
func isTitled(uid, title, old string) Check {
	return func(e *End) error {
		page := outline.ByUID(e.Graph, uid)
		if got := e.Graph.String(page, graphdb.NodeTitle); got != title {
			return fmt.Errorf("the page %s is titled %q, not %q", uid, got, title)
		}
		if left := outline.PageByTitle(e.Graph, old); left != 0 {
			return fmt.Errorf("there is still a page %q", old)
		}
		return nil
	}
}

// linksTo requires that a block refers to a page or another block.
func linksTo(uid, target string) Check {
	return isBlock(uid, "should refer to "+target, func(e *End, block graphdb.EID) bool {
		return slices.Contains(e.Graph.Refs(block, graphdb.BlockRefs), outline.ByUID(e.Graph, target))
	})
}

// shortcuts requires these shortcuts, in this order.
func shortcuts(titles ...string) Check {
	return func(e *End) error {
		var got []string
		for _, page := range outline.Shortcuts(e.Graph) {
			got = append(got, e.Graph.String(page, graphdb.NodeTitle))
		}
		if !slices.Equal(got, titles) {
			return fmt.Errorf("the shortcuts are %q, not %q", got, titles)
		}
		return nil
	}
}

// commented requires a comment on a block.
func commented(uid, pattern string) Check {
	return func(e *End) error {
		for _, comment := range outline.Comments(e.Graph, outline.ByUID(e.Graph, uid)) {
			if anywhere(outline.ReadTree(e.Graph, comment), pattern) != nil {
				return nil
			}
		}
		return fmt.Errorf("the block %s has no comment %q", uid, pattern)
	}
}
