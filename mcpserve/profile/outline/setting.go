package outline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// maxSettings is how many properties one call sets. Each may take a write.
const maxSettings = 100

// setting is one member of the parameter properties.
type setting struct {
	key    string
	text   string   // the value, where it is no list
	list   []string // nil: it is no list
	remove bool
}

// settingsOf returns the properties that a call sets.
func settingsOf(c surface.Call) ([]setting, error) {
	raw, _ := c.Args()[paramProperties].(json.RawMessage)
	return parseSettings(c.ToolName(), raw)
}

// parseSettings reads an object of properties, in its order. null and the empty list delete
// one.
func parseSettings(tool string, raw json.RawMessage) ([]setting, error) {
	var settings []setting
	for key, value := range rawjson.Members(raw) {
		s := setting{key: strings.TrimSpace(key)}
		if !s.read(value) {
			return nil, surface.Invalid(tool, "the value of the property %s takes text, a number, true or false, a list of these, or null.", textsafe.Quote(key))
		}
		if name, _, ok := note.SplitProperty(s.key + ":: x"); !ok || name != s.key {
			return nil, surface.Invalid(tool, "%s can't be the name of a property: it takes words on one line, without :: and markup.", textsafe.Quote(key))
		}
		if slices.ContainsFunc(settings, func(other setting) bool { return strings.EqualFold(other.key, s.key) }) {
			return nil, surface.Invalid(tool, "properties has %s twice; upper and lower case make no difference.", textsafe.Quote(key))
		}
		settings = append(settings, s)
	}
	if len(settings) > maxSettings {
		return nil, surface.Invalid(tool, "properties has %d members; it takes %d at most.", len(settings), maxSettings)
	}
	return settings, nil
}

// read reads the value; false where it is none.
func (s *setting) read(value json.RawMessage) (ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		s.text, ok = scalar(value)
		return ok
	}
	s.remove = len(list) == 0 // null too
	for _, each := range list {
		text, ok := scalar(each)
		if !ok {
			return false
		}
		s.list = append(s.list, text)
	}
	return true
}

// scalar returns the text of a value that is a text, a number, true or false.
func scalar(value json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(value, &text) == nil {
		return strings.TrimSpace(text), string(value) != "null"
	}
	return string(value), !strings.ContainsAny(string(value[:1]), "[{")
}

// takesPages reports whether a property lists pages, whatever its line held before.
func (s setting) takesPages() bool {
	return strings.EqualFold(s.key, note.TagsName) || strings.EqualFold(s.key, "alias")
}

// titler returns the title of the page whose key a tag has.
type titler func(key string) (string, bool)

// titlesOf asks for the pages that the tags of some settings mean, so that no tag gets
// a second page.
func titlesOf(ctx context.Context, c surface.Call, settings []setting) (titler, error) {
	var keys []string
	for _, s := range settings {
		if strings.EqualFold(s.key, note.TagsName) {
			for _, tag := range s.list {
				keys = append(keys, note.Key(tag))
			}
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	pages, err := c.Graph().PagesOf(ctx, keys)
	return func(key string) (string, bool) {
		if len(pages[key]) == 0 {
			return "", false
		}
		return pages[key][0].Title, true
	}, err
}

// line returns the text of the line that has the property, in the place of one that had
// a value; key is how that spells its name. A list becomes references where the line
// held some, and where the property lists pages.
func (s setting) line(tool, key, was string, titleOf titler) (string, error) {
	value, references := s.text, len(referencesOnly(was)) > 0
	switch {
	case s.list == nil:
	case strings.EqualFold(key, note.TagsName) || references && strings.HasPrefix(was, "#"):
		value = strings.TrimPrefix(note.TagsLine(s.list, titleOf), note.TagsName+"::")
	case s.takesPages() || references:
		links := make([]string, len(s.list))
		for i, each := range s.list {
			links[i] = "[[" + barePage(each) + "]]"
			if len(referencesOnly(links[i])) != 1 {
				return "", surface.Invalid(tool, "%s, of the property %s, can't be the name of a page.", textsafe.Quote(each), textsafe.Quote(s.key))
			}
		}
		value = strings.Join(links, ", ")
	default:
		value = strings.Join(s.list, ", ")
	}
	text := strings.TrimRight(key+":: "+strings.TrimSpace(value), " ")
	if name, _, ok := note.SplitProperty(text); !ok || name != key {
		return "", surface.Invalid(tool, "the value of the property %s can't stand on its line.", textsafe.Quote(s.key))
	}
	return text, nil
}

// newLines returns the lines of a page or block that has no properties yet.
func newLines(ctx context.Context, c surface.Call, settings []setting) ([]string, error) {
	titles, err := titlesOf(ctx, c, settings)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, s := range settings {
		if s.remove {
			continue
		}
		line, err := s.line(c.ToolName(), s.key, "", titles)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// propertyPlan is how the properties of a page or block change.
type propertyPlan struct {
	parent       string // uid of the page or block
	updates      []ops.BlockUpdate
	removes      []string // uids of lines
	inserts      []string // texts of lines
	at           int      // place of the first of them, when the removes are done
	made         []string // uids of lines
	set, deleted []string // keys, as the lines spell them
	warnings     []string
}

// planSettings plans what settings change of the properties of a page or block, whose
// hidden blocks are in it. All that can be refused is refused here.
func planSettings(ctx context.Context, c surface.Call, n note.Node, settings []setting) (propertyPlan, error) {
	plan := propertyPlan{parent: n.UID}
	titles, err := titlesOf(ctx, c, settings)
	if err != nil {
		return plan, err
	}
	for _, s := range settings {
		if err := plan.add(c, s, linesOf(n, s.key), titles); err != nil {
			return plan, err
		}
	}
	place := 0
	for _, child := range n.Children {
		if slices.Contains(plan.removes, child.UID) {
			continue
		}
		place++
		if _, _, ok := note.SplitProperty(child.Text); ok && !child.Hidden {
			plan.at = place
		} else if !child.Hidden {
			break
		}
	}
	return plan, nil
}

// add plans one setting. lines are those that have the property now: the first counts,
// see propertiesOf.
func (p *propertyPlan) add(c surface.Call, s setting, lines []note.Node, titles titler) error {
	if len(lines) > 1 {
		p.warnings = append(p.warnings, fmt.Sprintf("There are %d lines %s; the others stay.", len(lines), textsafe.Quote(s.key+"::")))
	}
	switch {
	case s.remove && len(lines) == 0:
		p.warnings = append(p.warnings, fmt.Sprintf("There was no property %s.", textsafe.Quote(s.key)))
		return nil
	case s.remove:
		return p.remove(c, lines[0])
	case len(lines) == 0:
		text, err := s.line(c.ToolName(), s.key, "", titles)
		p.inserts, p.set = append(p.inserts, text), append(p.set, s.key)
		return err
	}
	key, was, _ := note.SplitProperty(lines[0].Text)
	text, err := s.line(c.ToolName(), key, was, titles)
	if p.set = append(p.set, key); text != lines[0].Text {
		p.updates = append(p.updates, ops.BlockUpdate{UID: lines[0].UID, String: &text})
	}
	return err
}

// remove plans the deletion of the line of a property.
func (p *propertyPlan) remove(c surface.Call, line note.Node) error {
	key, _, _ := note.SplitProperty(line.Text)
	switch {
	case line.HidesBelow():
		return hidesBlocks(c, line.UID)
	case len(line.Children) > 0:
		return surface.Invalid(c.ToolName(), "the line of the property %s (uid %s) has %s below it, so nothing was changed; delete or move these first.", textsafe.Quote(key), textsafe.Quote(line.UID), surface.Counted(len(line.Children), "block"))
	}
	p.removes, p.deleted = append(p.removes, line.UID), append(p.deleted, key)
	return nil
}

// linesOf returns the lines below a page or block that have a property.
func linesOf(n note.Node, key string) []note.Node {
	return slices.DeleteFunc(slices.Clone(n.Children), func(child note.Node) bool {
		name, _, ok := note.SplitProperty(child.Text)
		return child.Hidden || !ok || !strings.EqualFold(name, key)
	})
}

// footprint returns what is planned to change.
func (p *propertyPlan) footprint() ops.Footprint {
	reach := ops.Footprint{Places: append([]string{p.parent}, p.removes...), Removed: p.removes, Stored: slices.Clone(p.inserts)}
	for _, update := range p.updates {
		reach.Places, reach.Stored = append(reach.Places, update.UID), append(reach.Stored, *update.String)
	}
	return reach
}

// run does what is planned. What only a full token permits comes first, so that another
// one is refused before anything is written.
func (p *propertyPlan) run(ctx context.Context, c surface.Call) error {
	for _, update := range p.updates {
		if _, err := c.Graph().UpdateBlock(ctx, update); err != nil {
			return err
		}
	}
	for _, uid := range p.removes {
		if _, err := c.Graph().Remove(ctx, ops.Block, uid); err != nil {
			return err
		}
	}
	for i, text := range p.inserts {
		at := p.at + i
		uid, err := addBlock(ctx, c, p.parent, ops.Order{Index: &at}, text)
		if err != nil {
			return err
		}
		p.made = append(p.made, uid)
	}
	return nil
}

// told adds to a reply what became of the properties.
func (p *propertyPlan) told(reply rawjson.Object) rawjson.Object {
	reply = reply.With("properties_set", append([]string{}, p.set...))
	if len(p.deleted) > 0 {
		reply = reply.With("properties_deleted", p.deleted)
	}
	return reply
}
