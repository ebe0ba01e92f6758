package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

// CodeGuidelinesProtected is the code of a write that touches the user's rules
// for agents (TOOLS.md, "Errors of our own").
const CodeGuidelinesProtected problem.Code = "GUIDELINES_PROTECTED"

// guidelinesTitles are the titles of the page that Roam takes the guidelines
// from, the present one first, then that of builds of early 2026 (LOCAL_API.md 2.1).
func guidelinesTitles() []string { return []string{"roam/agent guidelines", "agent guidelines"} }

// ProtectGuidelines is a Guard that refuses writes which touch the page with the
// guidelines, unless the person allows it: its blocks, its title, what is moved
// or merged there or away, and what its text shows by reference. One read finds
// out what belongs to the page, unless the write says by itself where it goes. A
// write is refused where that read fails. What a person moves there between the
// read and the write is not known to it, and neither is what an extension does
// besides what its arguments name.
type ProtectGuidelines struct{}

// Check implements Guard.
func (ProtectGuidelines) Check(ctx context.Context, attempt Attempt) error {
	reach := attempt.Write.Footprint()
	touches := slices.ContainsFunc(reach.Titles, isGuidelinesTitle) || slices.ContainsFunc(reach.Mentions, namesGuidelines)
	if !touches && len(reach.Places)+len(reach.Mentions) > 0 {
		page, err := readGuidelinesPage(ctx, attempt.Caller)
		if err != nil {
			return uncheckedWrite(attempt.Caller.Explain(ctx, err))
		}
		touches = page.touchedBy(reach)
	}
	if !touches {
		return nil
	}
	answer, err := attempt.Caller.Confirm(ctx, guidelinesQuestion(attempt.Graph, reach))
	switch {
	case err != nil:
		return err
	case answer == Allowed:
		return nil
	}
	refused := notRetryable(problem.Error{
		Code:    CodeGuidelinesProtected,
		Message: "This touches [[roam/agent guidelines]], the user's rules for agents, so nothing was written.",
		Hint: problem.Say("Tell the user what you would change. They can write it in Roam, or let agents do it by starting the server with --edit-guidelines.").
			Append(problem.Say("Do not try another way.")),
	})
	if answer == Declined {
		refused.Message = "The user did not allow a change of [[roam/agent guidelines]], so nothing was written."
		refused.Hint = problem.Say("Do not ask again by yourself.")
	}
	return refused
}

func isGuidelinesTitle(title string) bool {
	title = strings.TrimSpace(title)
	return slices.ContainsFunc(guidelinesTitles(), func(each string) bool { return strings.EqualFold(title, each) })
}

// namesGuidelines reports whether a text has the title of the page in it, or is
// that of older builds.
func namesGuidelines(text string) bool {
	return isGuidelinesTitle(text) || strings.Contains(strings.ToLower(text), guidelinesTitles()[0])
}

// guidelinesPage is what belongs to the page with the guidelines; nothing where
// there is no such page.
type guidelinesPage struct {
	on    []string // uids of the page and of the blocks on it
	shown []string // uids of the pages and blocks that its text refers to
	above []string // uids of the blocks and pages that those are below
}

func (p guidelinesPage) touchedBy(reach Footprint) bool {
	return containsAny(p.on, reach.Places) || containsAny(p.shown, reach.Texts) ||
		containsAny(p.shown, reach.Removed) || containsAny(p.above, reach.Removed) ||
		slices.ContainsFunc(reach.Mentions, func(text string) bool {
			return containsAny(p.on, strings.FieldsFunc(text, func(r rune) bool { return !isUIDRune(r) }))
		})
}

func isUIDRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '-' || r == '_'
}

// pulledBlock is a block as guidelinesQuery pulls it.
type pulledBlock struct {
	UID     string        `json:"uid"`
	Blocks  []pulledBlock `json:"blocks"`
	Refs    []pulledBlock `json:"refs"`
	Parents []pulledBlock `json:"parents"`
}

// guidelinesQuery starts at the page, so that it costs the same in a large graph
// and for a large batch.
func guidelinesQuery() string {
	titles := guidelinesTitles()
	return fmt.Sprintf(`[:find [(pull ?g [[:block/uid :as "uid"] {[:block/_page :as "blocks"] [[:block/uid :as "uid"] `+
		`{[:block/refs :as "refs" :limit nil] [[:block/uid :as "uid"] {[:block/parents :as "parents" :limit nil] [[:block/uid :as "uid"]]}]}]}]) ...] `+
		`:where (or [?g :node/title %q] [?g :node/title %q])]`, titles[0], titles[1])
}

func readGuidelinesPage(ctx context.Context, caller Caller) (guidelinesPage, error) {
	reply, err := caller.Send(ctx, plainQuery, guidelinesQuery())
	switch {
	case err != nil && LacksAction(err):
		return seenGuidelinesPage(ctx, caller)
	case localapi.CantRun(err):
		return plainGuidelinesPage(ctx, caller)
	case err != nil:
		return guidelinesPage{}, err
	}
	var pages []pulledBlock
	if err := decodePulled(reply.Result, &pages); err != nil {
		return guidelinesPage{}, err
	}
	var found guidelinesPage
	for _, page := range pages {
		if page.UID == "" {
			return guidelinesPage{}, invalidNote(errors.New("a page without a uid"))
		}
		found.on = append(found.on, page.UID)
		for _, block := range page.Blocks {
			found.on = append(found.on, block.UID)
			for _, ref := range block.Refs {
				found.shown = append(found.shown, ref.UID)
				for _, parent := range ref.Parents {
					found.above = append(found.above, parent.UID)
				}
			}
		}
	}
	return found, nil
}

// plainGuidelinesPage reads the page with queries of plain rows, for a Roam that does not
// take guidelinesQuery.
func plainGuidelinesPage(ctx context.Context, caller Caller) (guidelinesPage, error) {
	var found guidelinesPage
	for _, title := range guidelinesTitles() {
		for _, part := range []struct {
			uids  *[]string
			where string
		}{
			{&found.on, `[?g :block/uid ?u]`},
			{&found.on, `[?b :block/page ?g] [?b :block/uid ?u]`},
			{&found.shown, `[?b :block/page ?g] [?b :block/refs ?r] [?r :block/uid ?u]`},
			{&found.above, `[?b :block/page ?g] [?b :block/refs ?r] [?r :block/parents ?a] [?a :block/uid ?u]`},
		} {
			reply, err := caller.Send(ctx, plainQuery, `[:find ?u :in $ ?title :where [?g :node/title ?title] `+part.where+`]`, title)
			if err != nil {
				return guidelinesPage{}, localapi.UnsupportedQuery(err)
			}
			var rows [][1]string
			if err := json.Unmarshal(reply.Result, &rows); err != nil {
				return guidelinesPage{}, invalidNote(err)
			}
			for _, row := range rows {
				*part.uids = append(*part.uids, row[0])
			}
			if len(found.on) == 0 {
				break // there is no such page
			}
		}
	}
	return found, nil
}

// seenGuidelinesPage reads the page without queries: what it refers to is not
// known then.
func seenGuidelinesPage(ctx context.Context, caller Caller) (guidelinesPage, error) {
	var found guidelinesPage
	for _, title := range guidelinesTitles() {
		reply, err := caller.Send(ctx, Page.readAction(), request{"title": title})
		if err != nil {
			return guidelinesPage{}, err
		}
		page := existing(reply.Result)
		if page == nil {
			continue
		}
		uid, _ := page.Text("uid")
		if uid != "" {
			found.on = append(found.on, uid)
		}
		for _, block := range blocksIn(reply.Result) {
			if block.UID == "" && (!block.Header || uid == "") {
				return guidelinesPage{}, &problem.Error{
					Code: localapi.CodeInvalidReply, Call: &problem.Call{Action: Page.readAction(), Sent: true}, Message: "Roam does not tell the uids of its blocks.",
				}
			}
			found.on = append(found.on, block.UID)
		}
	}
	return found, nil
}

// uncheckedWrite says of a failed read that the write was not sent for it. What
// the write would have met as well, a Roam that is closed, a graph that is gone or
// a token that is not good, is said as it is.
func uncheckedWrite(err error) error {
	failed, ok := problem.AsCall(err)
	if !ok || !failed.Sent() || failed.Code == localapi.CodeGraphNotFound || failed.Status() == 401 || failed.Status() == 403 {
		return err
	}
	unchecked := *failed
	unchecked.Message = "Nothing was written, since it could not be checked whether this touches the user's guidelines. " + failed.Message
	return &unchecked
}

func guidelinesQuestion(graph localapi.Graph, reach Footprint) string {
	question := fmt.Sprintf("An agent wants to change the page [[roam/agent guidelines]] of the Roam graph %s, your rules for agents: %s", safetext.Quote(graph.Name), reach.Does)
	if reach.Text != "" {
		question += ": " + safetext.QuoteUpTo(reach.Text, 600)
	}
	return question + ". Allow it?"
}
