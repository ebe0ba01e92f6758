package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Checks returns a check for each of Beliefs, in its order.
func Checks() []Check {
	return slices.Concat(
		[]Check{
			{"silent", "A change of what is not there would be told as done; roam-mcp makes it good: it looks where a reply tells nothing.", silent},
			{"taken-title", "A page that is there could be told as new; roam-mcp makes it good: it says where the page has another uid than it was to get.", takenTitle},
			{"taken-uid", "A creation with a uid that is taken could be told as done; roam-mcp makes it good: it looks for what it created.", takenUID},
			{"uid-honoured", "New blocks are not where their uids say; roam-mcp makes it good: it looks for them and tells the uid that they have.", uidHonoured},
			{"uid-reuse", "What was deleted comes back with another uid; roam-mcp makes it good: it says which one, and references to the old one stay broken.", uidReuse},
			{"create-looks", "What an undo brings back can look otherwise; roam-mcp makes it good: it looks, and sets by update what is missing.", createLooks},
			{"props", "What an undo brings back has no properties; roam-mcp does not make it good, but says so.", propsKept},
			{"order-same-parent", "A moved block can be one place off; roam-mcp makes it good in part: it tells the place that it reads afterwards.", orderSameParent},
			{"orders-dense", "A place that is counted from orders can be off; roam-mcp makes it good in part: it tells the place that it reads afterwards.", ordersDense},
			{"reorder-partial", "Nothing follows: roam-mcp always lists all children.", reorderPartial},
			{"nest-under", "Text can come below another block than the one that was meant; roam-mcp makes it good in part: it says so where that block has another text.", nestUnder},
			{"move-below-itself", "A block could be lost below itself; roam-mcp makes it good in part: it looks whether a move was done.", moveBelowItself},
			{"batch-form", "A batch can't be told item by item; roam-mcp makes it good: it looks for each item, and says that nobody knows where it can't.", batchForm},
			{"batch-actions", "Blocks are made one by one, which takes longer; roam-mcp makes it good.", batchActions},
			{"body-1m", "Large notes can't be written at once; roam-mcp does not make it good, but says so.", largeBody},
			{"importer", "What is created from markdown can differ from what was sent; roam-mcp makes it good: it reads what was made, and sets other texts by update.", importer},
			{"literal", "A text can't be stored as it is sent; roam-mcp makes it good in part: it shows what is stored.", literal},
			{"delete-block-refs", "What a deletion does to references is told wrongly; roam-mcp makes it good in the history, which reads it afterwards.", deleteBlockRefs},
			{"delete-page-links", "What a deletion does to links is told wrongly; roam-mcp makes it good in the history, which reads it afterwards.", deletePageLinks},
			{"rename-links", "Links can lead to the old title after a renaming; roam-mcp does not make it good.", renameLinks},
			{"rename-forms", "Some mentions keep the old title after a renaming, or code is changed; roam-mcp does not make it good.", renameForms},
			{"merge-order", "Blocks of merged pages are in another order; nothing is lost.", mergeOrder},
			{"create-time", "A creation whose reply is lost can't be found by its time; roam-mcp makes it good: it goes by the uid where it gave one, and else says that nobody knows.", createTime},
			{"edit-time", "A search can miss a change for a while; roam-mcp makes it good in part: its next scan of the graph finds moves, new children and titles, and what else changed is found when the page's turn comes to be read again.", editTime},
			{"page-edit-time", "A list of what changed lately can have a page too far down; roam-mcp does not make it good.", pageEditTime},
		},
		readingChecks(), wrongCalls(),
	)
}

// Follows says what follows where the answer of a belief is otherwise.
func Follows(id string) string {
	for _, check := range Checks() {
		if check.ID == id {
			return check.Follows
		}
	}
	return ""
}

func readingChecks() []Check {
	return []Check{
		{"query-keys", "Reads that take the keys of plain pulls fail; roam-mcp makes it good where it asks with :as, and says so elsewhere.", queryKeys},
		{"as", "A full graph could look empty; roam-mcp makes it good: rows without the names are an error.", asNames},
		{"pull-options", "Some reads are refused; roam-mcp makes it good for edits and the history, which ask without options then.", pullOptions},
		{"limit-nil", "Long lists are cut; roam-mcp makes it good in part: it counts a list of exactly 1,000, and one that is cut is an error.", limitNil},
		{"collection-input", "Queries for several things at once are refused; roam-mcp makes it good for edits, and its searches say so.", collectionInput},
		{"pull-missing", "What deletions left may not be seen; roam-mcp makes it good: it asks by a query then.", pullMissing},
		{"missing-page", "A page that is not there is told as an error; nothing is lost.", missingPage},
		{"overlap", "A look after a write can be too early; roam-mcp makes it good: it reads after the reply, and says that nobody knows where there is none.", overlap},
		{"tag-form", "Agents do not see the uids of blocks; roam-mcp makes it good in part: it says that the form is not known.", tagForm},
		{"timeout-text", "A query that took too long is told as wrong; roam-mcp makes it good by the time that it took.", timeoutText},
		{"encrypted-form", "Nobody knows whether texts may be kept; roam-mcp makes it good: it keeps none until it is told to.", encryptedForm},
		{"async-forms", "Some ways to ask are missing; roam-mcp makes it good: it takes another one.", asyncForms},
	}
}

// unknownAction is one that no Roam has.
const unknownAction = "data.roamMcpProbe.noSuchAction"

// wrong is a check of what a wrong call gets: its status, and its code.
func wrong(id, follows string, call func(context.Context, *asking) error) Check {
	return Check{ID: "error-" + id, Follows: follows, run: func(ctx context.Context, a *asking) string {
		err := call(ctx, a)
		e, ok := problem.AsCall(err)
		switch {
		case err == nil:
			return "200"
		case !ok || e.Status() == 0:
			a.fail(err)
			return ""
		case e.Call.CodeSent:
			return strconv.Itoa(e.Status()) + " " + string(e.Code)
		}
		return strconv.Itoa(e.Status())
	}}
}

func wrongCalls() []Check {
	const told = "The program tells a person something else of such a failure; what it does stays safe."
	calling := func(action string, args ...any) func(context.Context, *asking) error {
		return func(ctx context.Context, a *asking) error {
			_, err := a.send(ctx, which(action == "query", a.query, action), args...)
			return err
		}
	}
	withToken := func(token localapi.Token) func(context.Context, *asking) error {
		return func(ctx context.Context, a *asking) error {
			_, err := a.sendAs(ctx, token, "graph.isEncrypted")
			return err
		}
	}
	unknown, _ := localapi.ParseToken(localapi.TokenPrefix + strings.Repeat("0", localapi.TokenLength-len(localapi.TokenPrefix)))
	return []Check{
		wrong("action", "A missing action can't be told from another failure, so what stands in for it is not tried.", calling(unknownAction)),
		wrong("no-action", told, calling("")),
		wrong("no-args", told, calling("data.pull")),
		wrong("wrong-type", told, calling("data.pull", 7, 7)),
		wrong("bad-query", "The advice to correct the query may be missing.", calling("query", `[:find`)),
		wrong("unbound", "The advice to correct the query may be missing.", calling("query", `[:find ?nothing :where [?b :block/uid "roam-mcp"]]`)),
		wrong("bad-pattern", "The advice to correct the pattern may be missing.", calling("data.pull", `[:block/uid`, `[:block/uid "roam-mcp"]`)),
		wrong("version", "Roam and roam-mcp may speak different versions without saying so.", func(ctx context.Context, a *asking) error {
			_, err := a.send(localapi.Expecting(ctx, "0.0"), "graph.isEncrypted")
			return err
		}),
		wrong("no-token", told, withToken(localapi.Token{})),
		wrong("token", "A token that was revoked may not be told as such.", withToken(unknown)),
	}
}
