package search

import (
	"strings"
	"unicode"
)

// functionWords are those of Snowball's list of English, with the other modal verbs,
// indefinite pronouns, prepositions and conjunctions.
const functionWords = " i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself " +
	"she her hers herself it its itself they them their theirs themselves what which who whom whose this that these those " +
	"am is are was were be been being have has had having do does did doing can could will would shall should may might must ought " +
	"a an the and but if or because as until while of at by for with about against between into through during before after " +
	"above below to from up down in out on off over under again further then once here there when where why how " +
	"all any both each few more most other some such no nor not only own same so than too very just " +
	"something anything everything nothing someone anyone everyone somebody anybody everybody one ones another others us much many several either neither every else " +
	"whatever whichever whoever without within upon since among across along per via toward towards onto yet though although unless whether " +
	"im youre hes shes its were theyre ive youve weve theyve id youd hed shed wed theyd ill youll hell shell well theyll " +
	"isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt wont wouldnt shant shouldnt cant cannot couldnt mustnt lets thats whos whats heres theres whens wheres whys hows "

// isFunctionWord reports whether a word says how others belong together, and nothing else.
func isFunctionWord(word string) bool {
	bare := strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) && r != '*' {
			return -1
		}
		return unicode.ToLower(r)
	}, word)
	short := bare == strings.ToLower(strings.TrimFunc(word, unicode.IsPunct)) // without an apostrophe, shell and well are words
	switch {
	case bare == "" || strings.ContainsAny(bare, " *"):
		return false
	case short && strings.Contains(" shell shed hell ill wed well id ", " "+bare+" "):
		return false
	}
	return strings.Contains(functionWords, " "+bare+" ")
}
