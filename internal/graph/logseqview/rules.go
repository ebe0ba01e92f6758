package logseqview

import (
	"roam-mcp/internal/graph/edn"
)

// rulesText are the rules that Logseq's advanced queries may call, as its file graphs
// define them. ?b is a block, ?p a page.
const rulesText = `[
[(page ?b ?name) [?b :block/page ?p] [?p :block/name ?name]]
[(page-ref ?b ?name) [?b :block/path-refs ?p] [?p :block/name ?name]]
[(namespace ?p ?name) [?p :block/namespace ?above] [?above :block/name ?name]]
[(page-tags ?p ?names) [?p :block/tags ?tag] [?tag :block/name ?name] [(contains? ?names ?name)]]
[(all-page-tags ?p) [_ :block/tags ?p]]
[(task ?b ?markers) [?b :block/marker ?marker] [(contains? ?markers ?marker)]]
[(priority ?b ?priorities) [?b :block/priority ?priority] [(contains? ?priorities ?priority)]]
[(between ?b ?start ?end) [?p :block/journal-day ?day] [(>= ?day ?start)] [(<= ?day ?end)] [?b :block/page ?p]]
[(block-content ?b ?part) [?b :block/content ?text] [(clojure.string/includes? ?text ?part)]]
[(has-property ?b ?key) [?b :block/properties ?all] [(missing? $ ?b :block/name)] [(get ?all ?key)]]
[(property ?b ?key ?value) [?b :block/properties ?all] [(missing? $ ?b :block/name)] [(get ?all ?key) ?has] [(str ?value) ?text]
 (or [(= ?has ?value)] [(contains? ?has ?value)] [(contains? ?has ?text)])]
[(has-page-property ?p ?key) [?p :block/name] [?p :block/properties ?all] [(get ?all ?key)]]
[(page-property ?p ?key ?value) [?p :block/name] [?p :block/properties ?all] [(get ?all ?key) ?has] [(str ?value) ?text]
 (or [(= ?has ?value)] [(contains? ?has ?value)] [(contains? ?has ?text)])]
]`

// rules returns the rules of rulesText by name.
func rules() map[string][]any {
	form, err := edn.Parse(rulesText, edn.Limits{})
	if err != nil {
		panic(err) // a test calls each rule
	}
	return byName(form.(edn.Vector))
}

// byName returns rules by their names, as far as they have one.
func byName(all []any) map[string][]any {
	named := map[string][]any{}
	for _, x := range all {
		rule, _ := x.(edn.Vector)
		if len(rule) == 0 {
			continue
		}
		if name := callOf(rule[0]); name != "" {
			named[name] = append(named[name], rule)
		}
	}
	return named
}

// callOf returns the name in front of a list such as (task ?b #{"TODO"}), empty for all
// else.
func callOf(x any) string {
	call, _ := x.(edn.List)
	if len(call) == 0 {
		return ""
	}
	name, _ := call[0].(edn.Symbol)
	return string(name)
}
