package surface

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// Naming is what it takes to understand how a call names pages and blocks.
type Naming struct {
	Graph string // name of the graph that the call works on
	Now   time.Time
	// UIDs returns the uids of the pages that have these titles.
	UIDs func(titles []string) (map[string]string, error)
}

var (
	tagOfRead = regexp.MustCompile(`<roam\s[^<>]*\buid="([^"<>]+)"[^<>]*>`)
	address   = regexp.MustCompile(`^(?:https?://(?:www\.)?roamresearch\.com/?|roam:/*)?#/(?:app|offline)/([^/?#\s]+)(?:/page/([^/?#\s]+))?(?:[/?#]\S*)?$`)
)

// Resolve puts the uid or the title in the place of whatever else names a page or
// a block: ((uid)), a tag of a read, [[Title]] or an address for a uid; a link or a
// day for a page. Its errors are INVALID_PARAMS, and NOT_FOUND for a title where a
// uid is wanted.
func (t *Tool) Resolve(args Arguments, n Naming) error {
	r := resolver{Naming: n, tool: t.Name, titles: map[string]bool{}}
	if err := r.all(t.Params, args); err != nil {
		return err
	}
	if len(r.titles) == 0 {
		return nil
	}
	var titles []string
	for title := range r.titles {
		titles = append(titles, title)
	}
	slices.Sort(titles)
	found, err := n.UIDs(titles)
	if err != nil {
		return err
	}
	for _, title := range titles {
		if found[title] == "" {
			return &problem.Error{
				Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no page %s.", safetext.Quote(title)),
				Hint: problem.Say("%s finds pages by words of their titles.", task.Search), Next: task.Search, Retry: problem.RetryNever,
			}
		}
	}
	for _, put := range r.puts {
		put(found)
	}
	return nil
}

// resolver collects the titles that stand where uids are wanted, and what puts
// their uids there.
type resolver struct {
	Naming
	tool   string
	titles map[string]bool
	puts   []func(uids map[string]string)
}

func (r *resolver) all(params []Param, args Arguments) error {
	for _, p := range params {
		switch value := args[p.Name].(type) {
		case string:
			resolved, title, err := r.one(p, value)
			if err != nil {
				return err
			}
			args[p.Name] = resolved
			if title == "" {
				continue
			}
			if sibling := titleBeside(params); sibling != "" && args.Text(sibling) == "" {
				delete(args, p.Name)
				args[sibling] = title
				continue
			}
			r.put(title, func(uid string) { args[p.Name] = uid })
		case []string:
			list := slices.Clone(value)
			args[p.Name] = list
			for i, each := range value {
				resolved, title, err := r.one(p, each)
				if err != nil {
					return err
				}
				if list[i] = resolved; title != "" {
					r.put(title, func(uid string) { list[i] = uid })
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

func (r *resolver) put(title string, put func(uid string)) {
	r.titles[title] = true
	r.puts = append(r.puts, func(uids map[string]string) { put(uids[title]) })
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

// one resolves one text of a parameter. title is that of a page whose uid is
// wanted.
func (r *resolver) one(p Param, text string) (resolved, title string, err error) {
	switch {
	case p.UID:
		return r.uid(p, text)
	case p.Page:
		return r.title(text), "", nil
	}
	return text, "", nil
}

// title returns the title of a page that is named by it, by a link, or by a day. A
// link names the page that has this title, even if it reads like a day.
func (r *resolver) title(text string) string {
	if bare := BareTitle(text); bare != text {
		return bare
	}
	if day, err := ops.ParseDay(text, r.Now); err == nil {
		return ops.DayTitle(day)
	}
	return text
}

func (r *resolver) uid(p Param, text string) (uid, title string, err error) {
	uid = strings.TrimSpace(text)
	if found := tagOfRead.FindAllStringSubmatch(uid, 2); len(found) == 1 {
		uid = found[0][1]
	}
	if inside, opened := strings.CutPrefix(uid, "(("); opened {
		uid = strings.TrimSpace(strings.TrimSuffix(inside, "))"))
	}
	if uid == "" && strings.TrimSpace(text) != "" {
		return "", "", r.notUID(p, text)
	}
	if found := address.FindStringSubmatch(uid); found != nil {
		return r.addressed(p, found[1], found[2], text)
	}
	if bare := BareTitle(uid); bare != uid {
		if !p.Page {
			return "", "", r.notUID(p, text)
		}
		if day, err := ops.ParseDay(bare, r.Now); err == nil && ops.DayTitle(day) == bare {
			return day, "", nil
		}
		return uid, bare, nil
	}
	if p.Page {
		if day, err := ops.ParseDay(uid, r.Now); err == nil {
			return day, "", nil
		}
	}
	return uid, "", nil
}

// addressed returns the uid in an address of Roam, which has to be of the call's
// graph.
func (r *resolver) addressed(p Param, graph, uid, text string) (string, string, error) {
	if plain, err := url.PathUnescape(graph); err == nil {
		graph = plain
	}
	if graph != r.Graph {
		return "", "", Invalid(r.tool, "%s is an address of the graph %s, and this call is for %s. Name the other graph in graph, if it is enabled.", p.Name, safetext.Quote(graph), safetext.Quote(r.Graph))
	}
	if uid == "" {
		return "", "", r.notUID(p, text)
	}
	return uid, "", nil
}

func (r *resolver) notUID(p Param, text string) error {
	wanted := "the uid of a block, which is no title"
	if p.Page {
		wanted = "the uid of a page or block, or [[Title]]"
	}
	return Invalid(r.tool, "%s is %s; it takes %s.", p.Name, safetext.Quote(text), wanted)
}
