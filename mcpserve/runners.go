package mcpserve

import (
	"context"
	"encoding/json"

	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// runner runs a tool whose task is the server's own.
type runner func(ctx context.Context, c *call) (json.RawMessage, error)

// runners returns the tasks of the server itself.
func runners() map[problem.Task]runner {
	remove := func(what deletable) runner {
		return func(ctx context.Context, c *call) (json.RawMessage, error) {
			return c.remove(ctx, what, c.args.Text("uid"))
		}
	}
	return map[problem.Task]runner{
		task.ListGraphs:     listGraphs,
		task.SelectGraph:    selectGraph,
		task.CurrentGraph:   currentGraph,
		task.ReadGuidelines: readGuidelines,
		task.SetUpGraph:     setUpGraph,

		task.ReadPage: getPage, task.ReadBlock: getBlock, task.ReadBacklinks: getBacklinks, task.ReadComments: getComments,
		task.Search: search, task.FindTemplates: searchTemplates, task.RunQuery: roamQuery, task.RunDatalog: datalogQuery,
		task.SearchByMeaning: semanticSearch, task.SuggestLinks: suggestLinks,
		task.CreatePage: createPage, task.CreateBlocks: createBlock, task.AppendToDay: appendToDailyNote, task.AddComment: addComment,
		task.UpdateBlock: updateBlock, task.UpdateBlocks: updateBlocks, task.MoveBlock: moveBlock, task.UpdatePage: updatePage,
		task.DeleteBlock: remove(aBlock()), task.DeleteBlocks: deleteBlocks, task.DeletePage: remove(aPage()),
		task.AddShortcut: addShortcut, task.RemoveShortcut: removeShortcut,
		task.SeeWindows: getOpenWindows, task.SeeSelection: getSelection, task.OpenInWindow: openMainWindow, task.OpenInSidebar: openSidebar,
		task.ReadFile: getFile, task.UploadFile: uploadFile, task.DeleteFile: deleteFile,
		task.ReloadExtensions: reloadDevExtensions, task.CallExtension: callExtensionTool,
	}
}
