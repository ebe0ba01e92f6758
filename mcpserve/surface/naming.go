package surface

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// Naming is what it takes to understand how a call names pages and blocks.
type Naming struct {
	Graph string // name of the graph that the call works on
	Now   time.Time
	// Pages returns the pages that names may mean, as note.Name.Resolve wants them.
	Pages func(names []note.Name) ([]note.Page, error)
}

var tagOfRead = lazyregexp.New(`<roam\s[^<>]*\buid="([^"<>]+)"[^<>]*>`)

// Resolve puts the uid or the title in the place of whatever else names a page or a
// block, by the rule of note.Name.Resolve. What can be nothing but a title or a uid stays
// as it is, and Roam is not asked; see Reconsider. Its errors are INVALID_PARAMS, and NOT_FOUND for a link to no page where a
// uid is wanted, and for a name that several pages have.
func (t *Tool) Resolve(args Arguments, n Naming) error {
	r := resolver{Naming: n, tool: t.Name}
	if err := r.all(t.Params, args); err != nil {
		return err
	}
	return r.look()
}

// Reconsider looks for the page of what Resolve left as it is, and reports whether any
// argument is another one now. It is for a call that found nothing of that title or uid:
// the title may be in another case, a uid where a title is wanted, and the other way
// round.
func (t *Tool) Reconsider(args Arguments, n Naming) (changed bool, err error) {
	r := resolver{Naming: n, tool: t.Name, again: true}
	if err := r.all(t.Params, args); err != nil {
		return false, err
	}
	err = r.look()
	return r.changed, err
}

// resolver collects the names for which Roam is asked, and what is done with the answers.
type resolver struct {
	Naming
	tool    string
	again   bool // only what was taken for the uid of a page
	changed bool
	names   []note.Name
	puts    []func(pages []note.Page) error
}

// look asks Roam once for all names, and puts what they mean in their places.
func (r *resolver) look() error {
	if len(r.names) == 0 {
		return nil
	}
	pages, err := r.Pages(r.names)
	for _, put := range r.puts {
		if err == nil {
			err = put(pages)
		}
	}
	return err
}

// all goes through the arguments for some parameters.
func (r *resolver) all(params []Param, args Arguments) error {
	for _, p := range params {
		switch value := args[p.Name].(type) {
		case string:
			if err := r.one(p, value, params, args, func(text string) { args[p.Name] = text }); err != nil {
				return err
			}
		case []string:
			if p.Tags {
				r.tags(value, func(tags []string) { args[p.Name] = tags })
				continue
			}
			list := slices.Clone(value)
			args[p.Name] = list
			for i, each := range value {
				if err := r.one(p, each, nil, nil, func(text string) { list[i] = text }); err != nil {
					return err
				}
			}
		case []Arguments:
			for _, each := range value {
				if err := r.all(p.Fields, each); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// tags puts the tags that a text lists in its place, unless it is the title of a page.
func (r *resolver) tags(texts []string, put func([]string)) {
	tags := make([][]string, len(texts))
	for i, text := range texts {
		tags[i] = []string{text}
		text = strings.TrimSpace(text)
		if !r.again && (strings.HasPrefix(text, "[") || strings.Contains(text, ",") || strings.Count(text, "#") > 1) {
			r.names = append(r.names, note.ParseName(text, r.Now))
			r.puts = append(r.puts, func(pages []note.Page) error {
				if listed := note.ListedTags(text); len(listed) > 0 && !slices.ContainsFunc(pages, func(p note.Page) bool { return note.Key(p.Title) == note.Key(text) }) {
					tags[i] = listed
				}
				return nil
			})
		}
	}
	r.puts = append(r.puts, func([]note.Page) error {
		put(slices.Concat(tags...))
		return nil
	})
}

// titleBeside returns the parameter that takes the title of a page where another
// takes its uid; empty where there is none.
func titleBeside(params []Param) string {
	for _, p := range params {
		if p.Page && !p.UID && p.Kind == String {
			return p.Name
		}
	}
	return ""
}

// one resolves one text of a parameter. Of a String, params and args are those beside it.
func (r *resolver) one(p Param, text string, params []Param, args Arguments, put func(string)) error {
	switch {
	case r.again:
		r.once(p, text, params == nil, put)
	case p.Named:
		if name := note.ParseName(text, r.Now); r.checkAddress(p, name, text) != nil {
			return r.title(p, text, func(string) {}) // which may be a title all the same
		}
	case p.UID:
		return r.uid(p, text, params, args, put)
	case p.Page && p.Makes:
		r.madeTitle(text, put)
	case p.Page:
		return r.title(p, text, put)
	}
	return nil
}

// printedUID is what is printed of a page where its uid is wanted.
func printedUID(p note.Page) string { return p.UID }

// ask has what a name means looked for, where printed is what is printed of pages (nil:
// their titles). found gets uid and title, which are empty where there is no such page.
func (r *resolver) ask(text string, printed func(note.Page) string, found func(uid, title string)) {
	name := note.ParseName(text, r.Now)
	r.names = append(r.names, name)
	r.puts = append(r.puts, func(pages []note.Page) error {
		uid, among := name.Resolve(pages, printed)
		if len(among) > 0 {
			return ops.Several(name, among)
		}
		for _, page := range pages {
			if page.UID == uid {
				found(uid, page.Title)
				return nil
			}
		}
		found("", "")
		return nil
	})
}

// once looks for what was taken as it was. In a list a name that several pages have stays
// as it is.
func (r *resolver) once(p Param, text string, inList bool, put func(string)) {
	name := note.ParseName(text, r.Now)
	if !p.Page || p.Makes || !name.IsPlain() && (!p.UID || !ops.LooksLikeUID(text)) {
		return
	}
	printed := printedUID
	if !p.UID {
		printed = nil
	}
	r.ask(text, printed, func(uid, title string) {
		found := title
		if p.UID {
			found = uid
		}
		if found != "" && found != text {
			r.changed = true
			put(found)
		}
	})
	if last := r.puts[len(r.puts)-1]; inList {
		r.puts[len(r.puts)-1] = func(pages []note.Page) error {
			_ = last(pages)
			return nil
		}
	}
}

// title resolves what names a page where its title is wanted.
func (r *resolver) title(p Param, text string, put func(string)) error {
	name := note.ParseName(text, r.Now)
	if name.IsPlain() {
		return nil
	}
	var wrong error
	r.ask(text, nil, func(_, title string) {
		put(cmp.Or(title, name.Day(), name.Inside(), strings.TrimSpace(text), text))
		if title != text && title != strings.TrimSpace(text) {
			wrong = r.checkAddress(p, name, text)
		}
	})
	r.puts = append(r.puts, func([]note.Page) error { return wrong })
	return nil
}

// madeTitle resolves what names a page that is made where there is none: a link names the
// page that has this title, and words for a day that day, unless they are the title of a
// page.
func (r *resolver) madeTitle(text string, put func(string)) {
	name := note.ParseName(text, r.Now)
	means := cmp.Or(name.Inside(), name.Day())
	if means == "" || means == text {
		return
	}
	r.names = append(r.names, name)
	r.puts = append(r.puts, func(pages []note.Page) error {
		if !slices.ContainsFunc(pages, func(p note.Page) bool { return p.Title == text }) {
			put(means)
		}
		return nil
	})
}

// uid resolves what names a page or block where its uid is wanted.
func (r *resolver) uid(p Param, text string, params []Param, args Arguments, put func(string)) error {
	uid := strings.TrimSpace(text)
	if found := tagOfRead.FindAllStringSubmatch(uid, 2); len(found) == 1 {
		uid = found[0][1]
	}
	if inside, opened := strings.CutPrefix(uid, "(("); opened {
		uid = strings.TrimSpace(strings.TrimSuffix(inside, "))"))
	}
	name := note.ParseName(uid, r.Now)
	if err := r.checkAddress(p, name, text); err != nil {
		return err
	}
	uid = cmp.Or(name.Reference(), uid)
	switch {
	case uid == "" && strings.TrimSpace(text) != "", !p.Page && note.BareTitle(uid) != uid:
		return r.notUID(p, text)
	case !p.Page, name.IsPlain(), ops.LooksLikeUID(uid), uid != strings.TrimSpace(text):
		put(uid)
		return nil
	}
	day, isDay := note.ParseDay(cmp.Or(name.Inside(), uid), r.Now)
	if isDay && name.Inside() != "" { // the title of a daily note, and no word for one
		isDay = outline.DailyTitle(day) == name.Inside()
	}
	sibling := titleBeside(params)
	var missing error
	r.ask(uid, printedUID, func(found, _ string) {
		switch {
		case found != "":
			put(found)
		case isDay:
			put(outline.DailyUID(day))
		case name.Inside() != "" && sibling != "" && args.Text(sibling) == "":
			delete(args, p.Name)
			args[sibling] = name.Inside()
		case name.Inside() != "":
			missing = noPage(name.Inside())
		}
	})
	r.puts = append(r.puts, func([]note.Page) error { return missing })
	return nil
}

// noPage is the error of a link to a page that is not there.
func noPage(title string) error {
	return &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no page %s.", textsafe.Quote(title)),
		Hint: problem.Say("%s finds pages by words of their titles.", problem.Search), Next: problem.Search, Retry: problem.RetryNever,
	}
}

// checkAddress refuses an address of another graph than the call's, and where a uid is
// wanted one of a graph.
func (r *resolver) checkAddress(p Param, name note.Name, text string) error {
	switch {
	case name.Graph == "":
		return nil
	case name.Graph != r.Graph:
		return Invalid(r.tool, "%s is an address of the graph %s, and this call is for %s. Name the other graph in graph, if it is enabled.", p.Name, textsafe.Quote(name.Graph), textsafe.Quote(r.Graph))
	case name.Reference() == "":
		return r.notUID(p, text)
	}
	return nil
}

func (r *resolver) notUID(p Param, text string) error {
	wanted := "the uid of a block, which is no title"
	if !p.UID || p.Page {
		wanted = "the uid of a page or block, or [[Title]]"
	}
	return Invalid(r.tool, "%s is %s; it takes %s.", p.Name, textsafe.Quote(text), wanted)
}
