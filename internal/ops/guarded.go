package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// guardedThing is a page or block as guardedQuery pulls it.
type guardedThing struct {
	UID   string         `json:"uid"`
	Title string         `json:"title"`
	Text  string         `json:"string"`
	Above []guardedThing `json:"above"` // its page, and the blocks above it
	Below []guardedThing `json:"below"` // all below it, where the write removes something
}

// guardedQuery asks for what a write names, and for what refers to something of which it may
// matter: blocks of the pages that are protected and of those that run code, and where pages get
// other titles, pages whose titles link these. It starts at what it names, so that it costs the
// same in a large graph.
func (p Protection) guardedQuery(reach Footprint, places []string) string {
	const name = `[:block/uid :as "uid"] [:node/title :as "title"] [:block/string :as "string"]`
	pattern := name + ` {[:block/parents :as "above" :limit nil] [` + name + `]}`
	var either strings.Builder
	add := func(clause string, values ...string) {
		encoded := make([]any, len(values))
		for i, value := range values {
			encoded[i] = rawjson.Encode(value)
		}
		fmt.Fprintf(&either, " "+clause, encoded...)
	}
	for _, uid := range places {
		add(`[?e :block/uid %s]`, uid)
	}
	var titles []string
	if p.Guidelines {
		titles = guidelinesTitles()
	}
	if p.Code {
		add(`(and [?g :node/title %s] [?e :block/refs ?g] [?e :block/string])`, "roam/render")
	}
	if len(reach.Removed) > 0 {
		pattern += ` {[:block/_parents :as "below" :limit nil] [` + name + `]}`
	}
	if p.Code && len(reach.Removed)+len(reach.Retitled) > 0 {
		titles = append(titles, codeTitles()...)
	}
	for _, title := range titles {
		add(`(and [?g :node/title %s] [?e :block/page ?g] [?e :block/refs])`, title)
	}
	for _, uid := range reach.Retitled {
		add(`(and [?n :block/uid %s] [?e :block/refs ?n] [?e :node/title])`, uid)
	}
	if reach.NestUnder != "" {
		for _, uid := range places {
			add(`(and [?p :block/uid %s] [?p :block/children ?e] [?e :block/string %s])`, uid, reach.NestUnder)
		}
		for _, title := range reach.Titles {
			add(`(and [?p :node/title %s] [?p :block/children ?e] [?e :block/string %s])`, title, reach.NestUnder)
		}
	}
	return `[:find [(pull ?e [` + pattern + `]) ...] :where (or-join [?e]` + either.String() + `)]`
}

// checkPlaces checks what a write changes by uid. It is read right before the write. What a
// person changes in Roam in between is not known, and neither is what an extension does besides
// what its arguments name.
func (g sender) checkPlaces(ctx context.Context, reach Footprint) error {
	places := slices.Concat(reach.Places, uidsNamedIn(reach.Mentions))
	for i, uid := range places {
		places[i] = strings.TrimSpace(uid)
	}
	slices.Sort(places)
	if places = slices.Compact(places); len(places) == 0 && reach.NestUnder == "" {
		return nil
	}
	protection := g.operations.options.Protect
	var things []guardedThing
	reply, err := g.caller.Send(ctx, plainQuery, protection.guardedQuery(reach, places))
	if err == nil {
		err = decodePulled(reply.Result, &things)
	}
	if err != nil {
		return g.unchecked(ctx, localapi.UnsupportedQuery(err))
	}
	return protection.checkThings(reach, things, func(thing guardedThing) bool {
		return slices.Contains(places, thing.UID) || reach.NestUnder != "" && thing.Text == reach.NestUnder
	})
}

// checkThings judges what a guardedQuery has found, of which some is what the write changes.
func (p Protection) checkThings(reach Footprint, things []guardedThing, changed func(guardedThing) bool) error {
	touched, gone := map[string]bool{}, map[string]bool{} // uids; of pages that go also titles as links
	for _, thing := range things {
		if !changed(thing) {
			continue
		}
		for _, each := range append(thing.Above, thing) {
			if err := p.ofThing(each); err != nil {
				return err
			}
			touched[each.UID] = true
		}
		if slices.Contains(reach.Retitled, thing.UID) {
			gone["[["+thing.Title] = true
		}
		if !slices.Contains(reach.Removed, thing.UID) {
			continue
		}
		for _, each := range append(thing.Below, thing) {
			if err := p.ofThing(each); err != nil {
				return err
			}
			touched[each.UID], gone[each.UID] = true, true
		}
	}
	for _, thing := range things {
		if changed(thing) {
			continue
		}
		if err := p.ofReferring(thing, touched, gone); err != nil {
			return err
		}
	}
	return nil
}

// ofThing returns the error of a write that changes a page or block, or something below it.
func (p Protection) ofThing(thing guardedThing) error {
	if err := p.ofTitle(thing.Title); err != nil {
		return err
	}
	return p.ofText(thing.Text)
}

// ofReferring returns the error of a write that changes something which a page or block shows or
// runs, or takes away something that it mentions: Roam rewrites what does.
func (p Protection) ofReferring(thing guardedThing, touched, gone map[string]bool) error {
	if thing.Title != "" {
		return p.ofTitle(thing.Title)
	}
	title := ""
	for _, above := range thing.Above {
		title += above.Title // of which all but the page have none
	}
	var embed roamtext.Span
	for _, span := range roamtext.Spans(thing.Text) {
		content := span.Content(thing.Text)
		switch {
		case span.Kind == roamtext.Component && isEmbed(content):
			embed = span
		case span.Kind == roamtext.BlockRef && gone[content], span.Kind.Refers() && span.Kind != roamtext.BlockRef && gone["[["+content]:
			if err := p.ofTitle(title); err != nil {
				return err
			}
		}
		if span.Kind != roamtext.BlockRef || !touched[content] {
			continue
		}
		if err := p.ofText(thing.Text); err != nil {
			return err
		}
		if p.Guidelines && isGuidelines(title) && span.End <= embed.End {
			return guidelinesProtected()
		}
	}
	return nil
}

// isEmbed reports whether the name of a component begins so: embed, embed-path, embed-children.
func isEmbed(component string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimPrefix(strings.TrimSpace(component), "[[")), "embed")
}

// uidsNamedIn returns the uids that texts are or refer to.
func uidsNamedIn(texts []string) (uids []string) {
	for _, text := range texts {
		if uid := strings.TrimSpace(text); roamtext.ValidUID(uid) {
			uids = append(uids, uid)
		}
		for _, span := range roamtext.References(text) {
			if span.Kind == roamtext.BlockRef {
				uids = append(uids, span.Content(text))
			}
		}
	}
	return uids
}

// unchecked returns the error of a write that could not be checked. What the write would have
// met as well, a Roam that is closed, a graph that is gone or a token that is not good, is said as
// it is.
func (g sender) unchecked(ctx context.Context, err error) error {
	err = g.caller.Explain(ctx, err)
	failed, ok := problem.AsCall(err)
	if !ok || !failed.Sent() || failed.Code == localapi.CodeGraphNotFound || failed.Status() == 401 || failed.Status() == 403 {
		return err
	}
	unchecked := *failed
	unchecked.Message = "Nothing was written, since it could not be checked whether this touches what is protected. " + failed.Message
	return &unchecked
}
