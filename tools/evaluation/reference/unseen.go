package reference

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"roam-mcp/tools/evaluation"
)

// unseen returns what solves the tasks in which a note is longer than a reply, or changes
// under the agent. What a call was refused for is known from the refusal alone: see follow.
func unseen() map[string]Solution {
	hall := func(w *writing) string { return w.does(replacing("40 loaves", "45 loaves")) }
	return map[string]Solution{
		"end-of-a-long-note": func(s *script) string {
			return node(s, "Dough log").read(true).does(replacing("Batch 420: 66 %", "Batch 420: 68 %"))
		},
		"middle-of-a-long-note": func(s *script) string {
			w := node(s, "Dough log").read(false)
			for !strings.Contains(w.part, "Batch 210:") && w.readOn() {
			}
			return w.does(func(text string) string {
				return regexp.MustCompile(`(?m)Batch 210:.*$`).ReplaceAllString(text, "$0 (windows open)")
			})
		},
		"behind-a-long-note": func(s *script) string {
			return node(s, "Dough log").read(true).does(func(text string) string { return text + "\n\nBatch 421: no salt, thrown away" })
		},
		"tag-beside-a-person": func(s *script) string {
			w := node(s, "Friday orders").read(false)
			tags, _ := w.last.Decode()["tags"].([]any)
			s.Call("update_node", args{"id": w.last.Text("id"), "tags": append(tags, "harbour")})
			return "Done."
		},
		"line-that-a-person-changed": func(s *script) string { return hall(node(s, "Friday orders").read(false)) },
		"note-that-a-person-renamed": func(s *script) string { return hall(node(s, "Friday orders").read(false)) },
		"item-that-a-person-removed": func(s *script) string {
			return node(s, "Friday orders").read(false).does(replacing("[ ]", "[x]"))
		},
		"line-with-news-below-it": func(s *script) string {
			return node(s, "Friday orders").read(false).does(withoutLine("The old van"))
		},
		"note-that-was-never-read": func(s *script) string {
			return node(s, "Friday orders").does(func(text string) string { return "- Oven at 230 from four\n" + text })
		},
		"block-that-a-person-changed": func(s *script) string {
			found := page(s, "Friday orders")
			uid := found.UID("40 loaves")
			return hall(&writing{s: s, tool: "update_block", args: args{"uid": uid}, param: "string", text: found.Line("40 loaves")})
		},
		"changed-block-in-outline": func(s *script) string {
			found := s.Call("get_page_content", args{"page_name": "Friday orders", "format": "json"})
			uid, text := blockOf(found.Decode(), "40 loaves")
			return hall(&writing{s: s, tool: "update_block", args: args{"block_uuid": uid}, param: "content", text: text})
		},
		"cut-note-in-wiki": func(s *script) string {
			first := regexp.MustCompile(`^.*`)
			return wikiNote(s, "Ship's log").read(false).does(func(text string) string { return first.ReplaceAllString(text, "$0 (off Sandry Head)") })
		},
		"changed-line-in-notes": func(s *script) string { return hall(memento(s, "Friday orders").read(false)) },
		"end-of-a-long-note-in-notes": func(s *script) string {
			return memento(s, "Dough log").read(true).does(func(text string) string { return text + " (off Sandry Head)" })
		},
		"changed-line-in-wiki": func(s *script) string { return hall(wikiNote(s, "Friday orders").read(false)) },
	}
}

// writing is an agent that replaces a text by what it makes of what it has read.
type writing struct {
	s           *script
	tool, reads string
	args        args   // of tool and of reads, which name what is read and written
	param       string // of tool, for the text
	content     func(evaluation.Reply) string

	text string           // all that was read
	part string           // what was read last
	last evaluation.Reply // that it was read with
}

func node(s *script, title string) *writing {
	return &writing{s: s, tool: "update_node", reads: "get_node", args: args{"id": title}, param: "content", content: func(r evaluation.Reply) string { return r.Text("content") }}
}

// memento is an agent that changes a note of the profile notes.
func memento(s *script, title string) *writing {
	w := node(s, title)
	w.tool, w.reads = "update_note", "get_note"
	return w
}

func wikiNote(s *script, path string) *writing {
	return &writing{s: s, tool: "update_note", reads: "get_note", args: args{"path": path}, param: "content", content: func(r evaluation.Reply) string {
		_, content, _ := strings.Cut(string(r), "\n---\n\n")
		return content
	}}
}

// read reads the note from its start, to its end if all is to be read.
func (w *writing) read(all bool) *writing {
	w.took(w.s.Call(w.reads, w.args))
	for all && w.readOn() {
	}
	return w
}

func (w *writing) took(reply evaluation.Reply) {
	w.last, w.part = reply, w.content(reply)
	w.text = strings.TrimSuffix(w.text, "... [truncated]") + w.part
}

var nextCall = regexp.MustCompile(`call (\w+) with (\w+) (\d+)`)

// readOn makes the call that a reply names where it was cut.
func (w *writing) readOn() bool {
	m := nextCall.FindStringSubmatch(string(w.last))
	if m == nil || w.s.Err() != nil {
		return false
	}
	more := args{m[2]: number(m[3])}
	for name, value := range w.args {
		more[name] = value
	}
	w.took(w.s.Call(m[1], more))
	return true
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// does sends what it makes of all that was read. Where that is refused, it does what the
// refusal says, and nothing else.
func (w *writing) does(edit func(text string) string) string {
	for range 4 {
		w.args[w.param] = edit(w.text)
		reply, refused := w.s.Try(w.tool, w.args)
		if !refused {
			return "Done."
		}
		delete(w.args, w.param)
		if !w.follow(string(reply)) {
			w.s.Fail("it is not said what to do: %.1000s", reply)
		}
	}
	w.s.Fail("it was refused again and again")
	return ""
}

// What refusals say, whatever their form is.
var (
	saysRead   = regexp.MustCompile(`(\w+) with (\w+) "((?:[^"\\]|\\.)*)" reads it\. Make your change in what that shows, and send it as (\w+)\.`)
	saysPart   = regexp.MustCompile(`Send as (\w+) the part that was shown last, with your changes`)
	saysName   = regexp.MustCompile(`make the same call again; its name is "((?:[^"\\]|\\.)*)"`)
	saysChange = regexp.MustCompile(`Make your change in what is there now, and make the same call with that\.`)
)

// follow does what a refusal says, so that the next call can be right. It reports whether
// anything was said.
func (w *writing) follow(refusal string) bool {
	said, told := refusal, []change(nil)
	var form struct {
		Error struct {
			Message, Hint string
			Blocks        []change
		}
	}
	if json.Unmarshal([]byte(refusal), &form) == nil {
		said, told = form.Error.Message+" "+form.Error.Hint, form.Error.Blocks
	} else {
		told = changesIn(refusal)
	}
	if m := saysRead.FindStringSubmatch(said); m != nil {
		w.text, w.reads, w.param = "", m[1], m[4]
		w.args = args{m[2]: m[3]}
		w.took(w.s.Call(w.reads, w.args))
		return true
	}
	if m := saysPart.FindStringSubmatch(said); m != nil {
		w.param, w.text = m[1], w.part
		return true
	}
	if m := saysName.FindStringSubmatch(said); m != nil {
		for name := range w.args { // there is one, that names the note
			w.args[name] = m[1]
		}
		return true
	}
	if saysChange.MatchString(said) {
		before := w.text
		for _, each := range told {
			w.text = each.in(w.text)
		}
		return w.text != before // else the same would be sent again
	}
	return false
}

// change is what a refusal tells of a block.
type change struct {
	Shown string
	Now   *string
	Below string
}

var toldChange = regexp.MustCompile(`(?m)^(?:\d+\. )?Shown: (".*")\nSent: .*\nNow: (?:(".*?[^\\]")|nothing, it is gone).*(?:\nNew below it: (".*"))?$`)

// changesIn returns what a refusal in prose tells of blocks.
func changesIn(refusal string) []change {
	var told []change
	for _, m := range toldChange.FindAllStringSubmatch(refusal, -1) {
		var each change
		each.Shown, _ = strconv.Unquote(m[1])
		if m[2] != "" {
			now, _ := strconv.Unquote(m[2])
			each.Now = &now
		}
		each.Below, _ = strconv.Unquote(m[3])
		told = append(told, each)
	}
	return told
}

// in returns a text with the block as it is now.
func (c change) in(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		bare := strings.TrimLeft(strings.TrimSuffix(line, "\n"), " ")
		if bare != c.Shown && bare != "- "+c.Shown {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		end := line[len(strings.TrimSuffix(line, "\n")):]
		if c.Now == nil {
			lines[i] = ""
			break
		}
		lines[i] = indent + strings.TrimSuffix(bare, c.Shown) + *c.Now + end
		for below := range strings.Lines(c.Below) {
			lines[i] = strings.TrimSuffix(lines[i], "\n") + "\n" + indent + "  " + bullet(strings.TrimSuffix(below, "\n")) + end
		}
		break
	}
	return strings.Join(lines, "")
}

func bullet(line string) string {
	if strings.HasPrefix(strings.TrimLeft(line, " "), "- ") {
		return line
	}
	return "- " + line
}

func replacing(old, new string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, old, new) }
}

// withoutLine takes a line out of an outline. What stands below it takes its place.
func withoutLine(start string) func(string) string {
	return func(text string) string {
		var out strings.Builder
		below := false
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "- "+start):
				below = true
				continue
			case below && strings.HasPrefix(line, "  "):
				line = line[2:]
			default:
				below = false
			}
			out.WriteString(line)
		}
		return out.String()
	}
}

// blockOf returns the uid and the text of the first block in a reply of outline that has
// some words.
func blockOf(value any, words string) (uid, text string) {
	switch value := value.(type) {
	case map[string]any:
		if text, _ = value["content"].(string); strings.Contains(text, words) {
			uid, _ = value["block_uuid"].(string)
			return uid, text
		}
		for _, each := range value {
			if uid, text = blockOf(each, words); uid != "" {
				return uid, text
			}
		}
	case []any:
		for _, each := range value {
			if uid, text = blockOf(each, words); uid != "" {
				return uid, text
			}
		}
	}
	return "", ""
}
