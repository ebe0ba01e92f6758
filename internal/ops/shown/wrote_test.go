package shown_test

import (
	"strings"
	"testing"
)

// What a connection knows after its own write, and after an error, without another read.
func TestWhatAWriteLeavesAndWhatAnErrorTells(t *testing.T) {
	cut := func(h *history) { // shows the last row in part
		text, _, _, _ := written(h.page)
		if err := h.readNote(step{"reads the start", 0, len(text) - 2, 1}); err != nil {
			t.Fatal(err)
		}
	}
	all := func(h *history) { _ = h.readNote(step{does: "reads all"}) }
	change := func(h *history, at int, text string) { h.page.kids[at].text = text }
	for name, tc := range map[string]struct {
		page, want string
		do         func(h *history) []string // what is sent, one after the other
	}{
		"what somebody changed and the sender left is not shown by its write": {"tea|milk", "rice|milk|salt|bread", func(h *history) []string {
			all(h)
			change(h, 0, "rice")
			return []string{"tea\n\nmilk\n\nsalt", "tea\n\nmilk\n\nsalt\n\nbread"}
		}},
		"an end that was cut stays with its block through two writes": {"tea|milk bread", "salt|rice|milk bread", func(h *history) []string {
			cut(h)
			return []string{"salt\n\nmilk bre", "salt\n\nrice\n\nmilk bre"}
		}},
		"a note whose cut block was moved is read first": {"tea|milk bread", "READ_FIRST", func(h *history) []string {
			cut(h)
			return []string{"milk bre" + markOfCut + "\n\ntea", "milk bre\n\ntea\n\nrice"}
		}},
		"a note whose cut block was left by an empty text is read first": {"milk bread", "READ_FIRST", func(h *history) []string {
			cut(h)
			return []string{"", "milk bre\n\nrice"}
		}},
		"a mark is still one after a write that left nothing of the part": {"tea|milk", "salt|tea|milk", func(h *history) []string {
			_ = h.readNote(step{"reads a part", 4, 1, 1}) // the empty line
			h.part, h.cut.mark = true, true
			return []string{"", "salt"}
		}},
		"a block that was cut stays a conflict when it was told": {"tea|milk bread", "CHANGED_SINCE_READ", func(h *history) []string {
			cut(h)
			change(h, 1, "milk bread and salt")
			return []string{"tea\n\nmilk rice" + markOfCut, "tea\n\nmilk rice" + markOfCut}
		}},
		"a block that was told counts as shown": {"tea|milk bread", "tea|milk bread rice", func(h *history) []string {
			all(h)
			change(h, 1, "milk bread and salt")
			return []string{"tea\n\nmilk rice", "tea\n\nmilk bread rice"}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory()
			for _, text := range strings.Split(tc.page, "|") {
				h.page.kids = append(h.page.kids, &row{uid: h.uid(), text: text})
			}
			got := ""
			for _, text := range tc.do(h) {
				h.text = text
				_, err := h.memory.Read(h.current(), howToRead)
				if got = string(codeOf(err)); err != nil {
					break
				}
				o, m, err := h.sendIt(h.current())
				switch {
				case err != nil:
					t.Fatal(err)
				case o.partOnly:
					got = "PART_ONLY"
				case o.page == nil:
					got = "CHANGED_SINCE_READ"
				default:
					if err := h.wrote(o, m, map[string]string{}); err != nil {
						t.Fatal(err)
					}
					var texts []string
					for _, r := range h.page.kids {
						texts = append(texts, r.text)
					}
					got = strings.Join(texts, "|")
				}
			}
			if got != tc.want {
				t.Errorf("it ends with %s, want %s", got, tc.want)
			}
		})
	}
}
