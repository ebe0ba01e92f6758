package actions

import (
	"crypto/rand"
	"encoding/json"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
)

// Pretend returns the usual reply of a write that is done, for one that is not
// (LOCAL_API.md 2.3, 2.4). The uids in it are those of the call or made up.
func Pretend(action string, args []json.RawMessage) (json.RawMessage, error) {
	var asked pretended
	if len(args) > 0 {
		_ = json.Unmarshal(args[0], &asked) // nobody looks at a call that does nothing
	}
	switch action {
	case "data.block.fromMarkdown":
		uids, err := madeUp(len(markdown.Importer(asked.Markdown)))
		return rawjson.Encode(map[string]any{"uids": uids}), err
	case "data.page.fromMarkdown":
		uid, err := asked.Page.UID, error(nil)
		if uid == "" {
			uid, err = outline.NewUID(rand.Reader)
		}
		return rawjson.Encode(createdPage{UID: uid}), err
	case "data.block.addComment":
		uids, err := madeUp(2)
		if err != nil {
			return nil, err
		}
		return rawjson.Encode(map[string]any{"uids": uids[:1], "parentUid": uids[1]}), nil
	case "data.block.updateBlocks", "data.block.deleteBlocks":
		return rawjson.Encode(asked.report()), nil
	case "data.block.delete", "data.page.delete", "deleteBlock", "deletePage":
		return rawjson.Encode(reportDeletion(true)), nil
	case "data.block.update", "data.block.move", "data.page.update", "updateBlock", "moveBlock", "updatePage":
		return json.RawMessage("null"), nil
	}
	return nil, nil
}

// pretended has the keys of calls that are in their replies.
type pretended struct {
	Markdown string     `json:"markdown-string"`
	Page     pageFields `json:"page"`
	UIDs     []string   `json:"uids"`
	Updates  []struct {
		UID string `json:"uid"`
	} `json:"updates"`
}

// report says of each item of a batch that it is done.
func (p pretended) report() batchReport {
	report := batchReport{Results: []outcome{}}
	for _, update := range p.Updates {
		report.Results = append(report.Results, outcome{UID: update.UID, OK: true})
	}
	yes := true
	for _, uid := range p.UIDs {
		report.Results = append(report.Results, outcome{UID: uid, OK: true, Deleted: &yes})
	}
	return report
}

func madeUp(count int) ([]string, error) {
	uids := make([]string, count)
	for i := range uids {
		var err error
		if uids[i], err = outline.NewUID(rand.Reader); err != nil {
			return nil, err
		}
	}
	return uids, nil
}
