package mcpserve

// developerRows are the tools of the toolset developer.
func developerRows() []matrixRow {
	both := place{graphs: []string{"alpha", "beta"}}
	return []matrixRow{
		{
			tool: "reload_dev_extensions", action: "depot.reloadDeveloperExtensions", args: `{}`,
			wants:  []string{`"reloaded":[{"id":"cards","name":"Cards"}]`, `"graphName":"alpha"`},
			more:   []matrixCell{{name: "with a token for reading", place: place{level: "read-only"}, wants: []string{`"reloaded":[`}}},
			errors: []matrixCell{{name: "the server is for reading", place: place{change: func(o *Options) { o.ReadOnly = true }}, code: CodeReadOnly}},
		},
		{
			tool: "call_extension_tool", action: "data.ai.callExtensionTool", args: `{"tool":"cards/make","args":{"front":"rye","weight":1.50}}`, lost: lostUnknown,
			wants: []string{`"tool":"cards/make"`, `"result":{"made":"rye"}`, `"queriedAt":`}, holds: []string{"card rye;"},
			more: []matrixCell{
				{name: "with arguments as they came", args: `{"tool":"cards/echo","args":{"z":[1,{"y":null}],"a":"<b> ü","deep":{"args":{}}}}`, wants: []string{`"z":[1,{"y":null}]`, "ü"}},
				{name: "with arguments as text", args: `{"tool":"cards/echo","args":"{\"a\":1}"}`, wants: []string{`"result":{"a":1}`}},
				{name: "without arguments", args: `{"tool":"cards/echo"}`, wants: []string{`"result":{}`}},
				{name: "with several graphs", place: both, args: `{"tool":"cards/make","args":{"front":"oat"},"graph":"alpha"}`, wants: []string{`"made":"oat"`}, holds: []string{"card oat;"}},
			},
			errors: []matrixCell{
				{name: "no such tool", args: `{"tool":"cards/none"}`, code: "INTERNAL_ERROR", wants: []string{"cards/make, cards/echo"}},
				{name: "arguments that the tool does not take", args: `{"tool":"cards/make","args":{}}`, code: "INTERNAL_ERROR", wants: []string{"front"}},
				{name: "the tool fails", args: `{"tool":"cards/fail"}`, code: "INTERNAL_ERROR", wants: []string{"no more ink"}},
			},
			bad: map[string]string{`{}`: "tool is missing", `{"tool":"x","args":[1]}`: "an object", `{"tool":"x","args":"text"}`: "an object"},
		},
	}
}
