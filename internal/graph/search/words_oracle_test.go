package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/note"
)

// slow answers queries by walking the texts of all notes. It shares with the index how
// Roam shows a text and how a query is split into signs and values.
type slow struct{ notes []slowNote }

type slowNote struct {
	Doc
	title  []string
	tags   [][]string
	blocks [][]string
	has    has
}

func newSlow(docs []Doc) *slow {
	s := &slow{}
	for _, d := range docs {
		n := slowNote{Doc: d}
		n.title, _ = slowRead(d.Title)
		for _, tag := range d.Tags {
			n.tags = append(n.tags, slowTokens(tag))
		}
		for _, block := range d.Blocks {
			tokens, shows := slowRead(block)
			n.blocks = append(n.blocks, tokens)
			n.has |= shows
		}
		s.notes = append(s.notes, n)
	}
	return s
}

func slowRead(text string) ([]string, has) {
	text, shows := readable(text)
	return slowTokens(text), shows
}

// slowTokens splits a text into words, and what is written without spaces into characters.
func slowTokens(text string) []string {
	var out []string
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x400 {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	for _, word := range strings.FieldsFunc(norm.NFKC.String(folded), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
		for word != "" {
			r := []rune(word)[0]
			if unspaced(r) {
				out, word = append(out, string(r)), word[len(string(r)):]
				continue
			}
			end := strings.IndexFunc(word, unspaced)
			if end < 0 {
				end = len(word)
			}
			out, word = append(out, word[:end]), word[end:]
		}
	}
	return out
}

// occurs counts how often words stand side by side. Of the last one the beginning will do
// where it has a star.
func occurs(tokens, words []string, star bool) int {
	count := 0
	for i := 0; i+len(words) <= len(tokens); i++ {
		same := true
		for j, word := range words {
			same = same && (tokens[i+j] == word || star && j == len(words)-1 && strings.HasPrefix(tokens[i+j], word))
		}
		if same {
			count++
		}
	}
	return count
}

// condition is a part of a query: what finds a note, and how it scores the notes.
type condition struct {
	finds  func(*slowNote) bool
	scores []func(*slowNote) float64
}

// search returns the keys and scores of the notes that a query finds, best first.
func (s *slow) search(query string) []Hit {
	lexemes := lex(query)
	c := s.either(&lexemes)
	if c == nil {
		return nil
	}
	var found []*slowNote
	scores := map[string]float64{}
	for i := range s.notes {
		if n := &s.notes[i]; c.finds(n) {
			found = append(found, n)
			for _, score := range c.scores {
				scores[n.Key] += score(n)
			}
		}
	}
	slices.SortFunc(found, func(a, b *slowNote) int {
		if d := scores[b.Key] - scores[a.Key]; math.Abs(d) > 1e-9 {
			return cmp.Compare(scores[b.Key], scores[a.Key])
		}
		return cmp.Or(cmp.Compare(b.Updated, a.Updated), strings.Compare(a.Path, b.Path))
	})
	var hits []Hit
	for _, n := range found {
		hits = append(hits, Hit{n.Key, scores[n.Key]})
	}
	return hits
}

// either reads parts of which one must find a note; nil where there is none.
func (s *slow) either(rest *[]lexeme) *condition {
	var all []*condition
	for {
		var sides []*condition
		for len(*rest) > 0 && (*rest)[0].kind != or && (*rest)[0].kind != closeGroup {
			if c := s.one(rest); c != nil {
				sides = append(sides, c)
			}
		}
		if len(sides) > 0 {
			all = append(all, together(sides, func(finds func(int) bool) bool {
				for i := range sides {
					if !finds(i) {
						return false
					}
				}
				return true
			}))
		}
		if len(*rest) == 0 || (*rest)[0].kind == closeGroup {
			break
		}
		*rest = (*rest)[1:]
	}
	if len(all) == 0 {
		return nil
	}
	return together(all, func(finds func(int) bool) bool {
		for i := range all {
			if finds(i) {
				return true
			}
		}
		return false
	})
}

func together(parts []*condition, finds func(func(int) bool) bool) *condition {
	c := &condition{finds: func(n *slowNote) bool { return finds(func(i int) bool { return parts[i].finds(n) }) }}
	for _, p := range parts {
		c.scores = append(c.scores, p.scores...)
	}
	return c
}

// one reads one part; nil for what says nothing.
func (s *slow) one(rest *[]lexeme) *condition {
	next := (*rest)[0]
	*rest = (*rest)[1:]
	switch next.kind {
	case minus:
		if len(*rest) == 0 || (*rest)[0].kind == and || (*rest)[0].kind == or || (*rest)[0].kind == closeGroup {
			return nil
		}
		if c := s.one(rest); c != nil {
			return &condition{finds: func(n *slowNote) bool { return !c.finds(n) }}
		}
	case openGroup:
		c := s.either(rest)
		if len(*rest) > 0 {
			*rest = (*rest)[1:]
		}
		return c
	case value:
		return s.value(next)
	case and, or, closeGroup:
	}
	return nil
}

func (s *slow) value(v lexeme) *condition {
	text, star := v.text, false
	if !v.quoted {
		text, star = strings.CutSuffix(v.text, "*")
	}
	filter := func(finds func(*slowNote) bool) *condition { return &condition{finds: finds} }
	switch v.field {
	case "tag":
		key := note.Key(text)
		if key == "" && !star {
			return nil
		}
		return filter(func(n *slowNote) bool {
			return slices.ContainsFunc(n.Tags, func(tag string) bool {
				return note.Key(tag) == key || star && strings.HasPrefix(note.Key(tag), key)
			})
		})
	case "folder":
		path := strings.ToLower(strings.Trim(text, "/"))
		return filter(func(n *slowNote) bool {
			at := strings.ToLower(n.Path)
			if star {
				return strings.HasPrefix(at, path) && strings.Contains(at[len(path):], "/") && !strings.Contains(at, "//")
			}
			return path != "" && strings.HasPrefix(at, path+"/") && !strings.Contains(at, "//")
		})
	case "has":
		return filter(func(n *slowNote) bool { return n.has&hasNames[strings.ToLower(text)] != 0 })
	case "created", "updated":
		return filter(func(n *slowNote) bool {
			at := n.Updated
			if v.field == "created" {
				at = n.Created
			}
			return at != 0 && slowDate(time.UnixMilli(at).UTC(), text)
		})
	}
	return s.words(slowTokens(text), star, v.field == "title")
}

// slowDate compares the beginning of a date in ISO form.
func slowDate(at time.Time, value string) bool {
	date := strings.TrimLeft(value, "<>=")
	order := strings.Compare(at.Format(time.DateOnly)[:len(date)], date)
	switch strings.TrimSuffix(value, date) {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	}
	return order == 0
}

// words is a word or a phrase with its score, BM25F as profiles/wiki.md has it.
func (s *slow) words(words []string, star, titleOnly bool) *condition {
	if len(words) == 0 {
		return nil
	}
	count := func(n *slowNote) (title, tags, content float64) {
		title = float64(occurs(n.title, words, star))
		for _, tag := range n.tags {
			tags += float64(occurs(tag, words, star))
		}
		for _, block := range n.blocks {
			content += float64(occurs(block, words, star))
		}
		return title, tags, content
	}
	finds := func(n *slowNote) bool {
		title, _, content := count(n)
		return title > 0 || content > 0 && !titleOnly
	}
	having, titles, contents := 0.0, 0.0, 0.0
	for i := range s.notes {
		if n := &s.notes[i]; finds(n) {
			having++
		}
		titles += float64(len(s.notes[i].title))
		contents += s.notes[i].length()
	}
	total := float64(len(s.notes))
	idf := math.Log(1 + (total-having+0.5)/(having+0.5))
	score := func(n *slowNote) float64 {
		if !finds(n) {
			return 0
		}
		title, tags, content := count(n)
		sum := 3 * title / (0.5 + 0.5*float64(len(n.title))/(titles/total))
		if !titleOnly {
			sum += 2*tags + content/(0.25+0.75*n.length()/(contents/total))
		}
		return idf * sum * 2.2 / (1.2 + sum)
	}
	return &condition{finds, []func(*slowNote) float64{score}}
}

// length is the number of words of the content.
func (n *slowNote) length() float64 {
	sum := 0
	for _, block := range n.blocks {
		sum += len(block)
	}
	return float64(sum)
}
