package mcpserve

import (
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
)

// batchRows are the tools that change several blocks in one call.
func batchRows() []matrixRow {
	return []matrixRow{
		{
			tool: "update_blocks", action: "data.block.updateBlocks",
			args:  `{"updates":[{"uid":"blk-child","string":"a finer child"},{"uid":"blk-coars","string":"a rough child","heading":"1"}]}`,
			wants: []string{`"success":true`, `"succeeded":2`, `"failed":0`, `{"uid":"blk-child","ok":true,"was":"- a fine child","markdown":"- a finer child <roam uid=\"blk-child\"/>"}`}, holds: []string{`"a finer child"`, `"a rough child"`, `["blk-coars",1]`},
			more: []matrixCell{
				{name: "as a string", args: `{"updates":"[{\"uid\":\"blk-child\",\"open\":\"false\"}]"}`, wants: []string{`folded=\"true\"`}},
				{name: "one alone, not in a list", args: `{"updates":{"uid":"blk-child","string":"x"}}`, wants: []string{`"succeeded":1`}, holds: []string{`["blk-child","x",0,"blk-flour"]`}},
				{name: "in parts of their texts", args: `{"updates":[{"uid":"blk-child","find":"fine","replace":"finer"},{"uid":"blk-coars","todo":"done"},{"uid":"blk-see-1","open":false}]}`, wants: []string{`"succeeded":3`}, holds: []string{`["blk-child","a finer child"`, `["blk-coars","{{[[DONE]]}} a coarse child"`, `"See ((blk-flour))"`}},
				{name: "in part", args: `{"updates":[{"uid":"blk-none","string":"x"},{"uid":"blk-child","string":"y"}]}`, wants: []string{`"success":false`, `"succeeded":1`, `"failed":1`, `"code":"NOT_FOUND"`}, holds: []string{`["blk-child","y"`}},
				{name: "one by one on an older build", turn: "no-batch", args: `{"updates":[{"uid":"blk-none","string":"x"},{"uid":"blk-child","string":"y"}]}`, wants: []string{`"succeeded":1`, `"failed":1`, `"code":"NOT_FOUND"`}, holds: []string{`["blk-child","y"`}},
			},
			errors: []matrixCell{
				{name: "none of them exists", args: `{"updates":[{"uid":"blk-none","string":"x"},{"uid":"blk-nada","string":"y"}]}`, code: localapi.CodeNotFound, wants: []string{`"succeeded":0`, `"failed":2`, `"results":[`}},
				{name: "they fail for different reasons", args: `{"updates":[{"uid":"blk-none","string":"x"},{"uid":"page-brea","string":"y"}]}`, code: ops.CodeBatchFailed, wants: []string{`"results":[`}},
				{name: "one of them has another text", args: `{"updates":[{"uid":"blk-child","expected":"a fine child","string":"y"},{"uid":"blk-coars","expected":"a rough child","string":"z"}]}`, code: shown.CodeChangedSinceRead, wants: []string{`"now":"a coarse child"`, "Nothing was written"}},
				{name: "one of the texts to find is not there", args: `{"updates":[{"uid":"blk-child","string":"y"},{"uid":"blk-coars","find":"fine","replace":"x"}]}`, code: ops.CodeTextNotMatched, wants: []string{"updates[1]", "Nothing was changed", `"uid":"blk-coars"`}},
				{name: "one of the texts was cut", args: `{"updates":[{"uid":"blk-child","string":"y"},{"uid":"blk-see-1","string":"See <roam uid=\"blk-see-1\" truncated=\"20\"/>"}]}`, code: ops.CodeTruncatedSource, wants: []string{"updates[1]", `"uid":"blk-see-1"`}},
			},
			bad: map[string]string{
				`{}`: "updates is missing", `{"updates":[]}`: "1 to 25", `{"updates":"all"}`: "a list of objects", `{"updates":[{"uid":"b"}]}`: "nothing to change", `{"updates":[7]}`: "updates[0]",
				`{"updates":[{"uid":"b","string":"x"},{"uid":"b","string":"y"}]}`: "listed twice", `{"updates":[{"uid":"b","heading":9}]}`: "updates[0]: heading", `{"updates":[{"string":"x"}]}`: "updates[0]: uid is missing",
			},
		},
		{
			tool: "delete_blocks", action: "data.block.deleteBlocks", args: `{"uids":["blk-flour","blk-child","blk-today"]}`,
			wants: []string{`"success":true`, `"succeeded":3`, `"descendants":2,"references":1`, "deleted with its ancestor"}, holds: []string{`"See Flour and [[Water]]"`}, lacks: []string{`"blk-flour"`, `"blk-child"`, `"blk-today"`},
			more: []matrixCell{
				{name: "in part, and one twice", args: `{"uids":"[\"blk-none\",\"blk-child\",\"blk-child\"]"}`, wants: []string{`"success":false`, `"succeeded":2`, `"reason":"not-found"`}},
				{name: "one by one on an older build", turn: "no-batch", args: `{"uids":["blk-none","blk-flour","blk-child","blk-flour"]}`, wants: []string{`"succeeded":3`, `"failed":1`, "deleted with"}},
			},
			errors: []matrixCell{
				{name: "none of them exists", args: `{"uids":["blk-none","blk-nada"]}`, code: localapi.CodeNotFound, wants: []string{`"failed":2`, "may be gone already"}},
				{name: "a page among them, and nothing else", args: `{"uids":["page-brea"]}`, code: localapi.CodeValidation, wants: []string{"is a page"}},
				{name: "none of them exists on an older build", turn: "no-batch", args: `{"uids":["blk-none","blk-nada"]}`, code: localapi.CodeNotFound, wants: []string{`"failed":2`}},
			},
			bad: map[string]string{`{}`: "uids is missing", `{"uids":[]}`: "1 to 25", `{"uids":[""]}`: "empty", `{"uids":{"a":1}}`: "a list of strings"},
		},
	}
}
