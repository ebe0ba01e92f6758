package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// kind is a kind of question.
type kind string

// The kinds of questions, in the order in which they are asked.
const (
	backlinks kind = "which notes link to it"
	path      kind = "the length of the shortest way"
	hubs      kind = "the ten most linked notes"
	tagged    kind = "the notes with a tag"
	contains  kind = "the notes that contain a word or a part of one"
	phrases   kind = "the notes that have two words beside each other"
	words     kind = "the notes that have a word"
)

func kinds() []kind { return []kind{backlinks, path, hubs, tagged, contains, phrases, words} }

// question is one question, with its answer as the notes themselves give it: titles in
// order, or a length.
type question struct {
	kind   kind
	a, b   string
	answer []string
}

// ask makes questions whose answers are long enough to be wrong and short enough for
// every program to list.
func ask(notes []note, each int) []question {
	random := rand.New(rand.NewPCG(14, uint64(len(notes))))
	in := map[string][]string{}
	for _, n := range notes {
		for _, to := range n.links {
			in[to] = append(in[to], n.title)
		}
	}
	var all []question
	for len(all) < each {
		title := notes[random.IntN(len(notes))].title
		if from := in[title]; len(from) > 0 && len(from) <= 50 {
			all = append(all, question{backlinks, title, "", sorted(from)})
		}
	}
	for range each {
		from, to := notes[random.IntN(len(notes))], notes[random.IntN(len(notes)/10)]
		all = append(all, question{path, from.title, to.title, []string{wayTo(notes, from.title, to.title)}})
	}
	all = append(all, question{kind: hubs, answer: mostLinked(in)})
	for range each {
		tag := fmt.Sprintf("tag%02d", random.IntN(tagsInAll))
		all = append(all, question{tagged, tag, "", where(notes, func(n note) bool { return slices.Contains(n.tags, tag) })})
	}
	for _, about := range []kind{contains, phrases, words} {
		all = append(all, askTexts(notes, each, random, about)...)
	}
	return all
}

// askTexts makes questions about a word, or about two words beside each other.
func askTexts(notes []note, each int, random *rand.Rand, about kind) []question {
	var all []question
	for len(all) < each {
		n := notes[random.IntN(len(notes))]
		fields := strings.Fields(n.lines[random.IntN(len(n.lines))])
		at := random.IntN(len(fields))
		text := fields[at]
		if about == phrases {
			text = fields[max(0, at-1)] + " " + text
		}
		if strings.Contains(text, "[[") {
			continue
		}
		having := where(notes, func(n note) bool { return n.says(text, about != contains) })
		if len(having) > 0 && len(having) <= 20 {
			all = append(all, question{about, text, "", having})
		}
	}
	return all
}

// says reports whether a line of the note contains a text, or whole words of it.
func (n note) says(text string, whole bool) bool {
	return slices.ContainsFunc(n.lines, func(line string) bool {
		if whole {
			line, text = " "+line+" ", " "+strings.TrimSpace(text)+" "
		}
		return strings.Contains(strings.ToLower(line), strings.ToLower(text))
	})
}

func where(notes []note, holds func(note) bool) []string {
	var titles []string
	for _, n := range notes {
		if holds(n) {
			titles = append(titles, n.title)
		}
	}
	return sorted(titles)
}

// wayTo returns the number of links of the shortest way, "none" where there is none.
func wayTo(notes []note, from, to string) string {
	far := map[string]int{from: 0}
	links := map[string][]string{}
	for _, n := range notes {
		links[n.title] = n.links
	}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return strconv.Itoa(far[to])
		}
		for _, next := range links[queue[0]] {
			if _, seen := far[next]; !seen {
				far[next] = far[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return "none"
}

func mostLinked(in map[string][]string) []string {
	titles := make([]string, 0, len(in))
	for title := range in {
		titles = append(titles, title)
	}
	slices.SortFunc(titles, func(a, b string) int {
		if by := len(in[b]) - len(in[a]); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	return sorted(titles[:min(10, len(titles))])
}

func sorted(titles []string) []string {
	titles = slices.Clone(titles)
	slices.Sort(titles)
	return titles
}
