package difftest

// Deviation is a deliberate difference from DataScript 1.8.1.
type Deviation struct{ Name, Reason string }

// Names of the deviations that can change the answer of a query over data. Code and tests
// refer to these by name.
const (
	SameVariableTwice = "same variable twice"
	RequiredRuleVars  = "required variables of a rule"
	ClauseOrder       = "order of clauses"
	ClausesNotReached = "clauses that are not reached"
	NotANumber        = "not a number"
	TypeAndMeta       = "type and meta"
)

// Deviations lists all deviations.
func Deviations() []Deviation {
	return []Deviation{
		{SameVariableTwice, "in one pattern, rule call or binding of a result, as in [?c :block/refs ?c] or [(f ?x) [?b ?b]], DataScript does not compare the two: ?c takes the last value. Here they must be equal, which is what people mean. A predicate or function that is given a variable twice, as [(< ?x ?x)], is an error in DataScript, and here like any other"},
		{RequiredRuleVars, "DataScript does not join on the variable in brackets of a rule's head, [(by [?u] ?e) …]. Here it is joined on like the others, and must be bound"},
		{ClausesNotReached, "where clauses before, as written, leave no rows, DataScript looks at no further ones, and so finds no fault in an unknown function, an unbound variable or an or within a rule whose branches differ in variables. Here such a query is refused whatever the graph holds"},
		{ClauseOrder, "DataScript goes through clauses as written, so that a not or a predicate, as [(= ?x ?y)], before what binds its variables is an error, and so is an or whose branches differ in variables that a later clause binds, or a function of a value that a later clause leaves out. Here the order never matters; only a variable that nothing binds is an error"},
		{"not within a rule", "a not is joined on the variables of the rule's head, whatever the caller has bound. DataScript joins it on those that clauses before the call or before the not have bound, so that the answer depends on their order"},
		{"blank in a rule call", "(q ?x _) within a rule asks for any value; DataScript puts the _ into the rule's clauses, where it joins nothing"},
		{"left recursion", "a rule that calls itself first never ends in DataScript. Here it ends"},
		{"one transaction", "a snapshot does not keep which transaction added a datom: the fourth element of a pattern is the snapshot's last transaction, the fifth is true. DataScript fails on five elements"},
		{"regular expressions", "they match characters, not UTF-16 code units; a group within a repeated one keeps what an earlier repetition matched, and a last repetition may match nothing; one match takes a second at most"},
		{"regex literals", "#\"…\" is accepted, as in Roam's own query blocks; DataScript's reader for text refuses it"},
		{NotANumber, "what arithmetic gives for text, as [(- \"a\" 7) ?x], is one value, so that equal rows are one; DataScript keeps a row for each, since JavaScript's NaN is not equal to itself"},
		{"aggregates of text", "sum, avg and their like over what is no number are an error; JavaScript joins text, or gives NaN"},
		{"comparison with lists", "a list (1 2) orders like a vector; DataScript puts lists before keywords"},
		{"attribute twice in a pull", "[:a [:a :as \"b\"]] gives both; DataScript gives the first alone"},
		{TypeAndMeta, "(type ?x) is a word such as \"string\", (meta ?x) drops the row; there are no JavaScript classes here"},
		{"complement", "it makes a function, which no query can use: it is unknown here"},
		{"attributes as text", "\":block/uid\" where an attribute belongs is taken as the keyword, since inputs come as JSON"},
		{"transformed values", ":xform takes the functions of queries. A regular expression that it makes is text here, and an empty map in JSON of DataScript; it knows no functions of several arguments, such as missing?"},
		{"databases", "there is one, $, and it needs not be named in :in; sources such as $other are refused"},
	}
}
