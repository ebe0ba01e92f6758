package switches

import "strings"

// ActionName returns the action that a name stands for, and false if the build that
// the switches describe lacks it.
func (s *Set) ActionName(name string) (string, bool) {
	switch name {
	case "data.ai.suggestLinks":
		return name, !s.On(NoSuggestLinks)
	case "data.block.updateBlocks", "data.block.deleteBlocks":
		return name, !s.On(NoBatch) && !s.On(OldBatchNames)
	case "data.block.updateMany", "data.block.deleteMany":
		if s.On(OldBatchNames) {
			return strings.TrimSuffix(name, "Many") + "Blocks", true
		}
	}
	return name, true
}

// Failure returns the text with which an action throws, if Fail names the action.
func (s *Set) Failure(action string) (text string, fails bool) {
	named, text, given := strings.Cut(s.Value(Fail), ":")
	if named == "" || named != action {
		return "", false
	}
	if !given {
		text = "the action failed, since the switch " + string(Fail) + " is on"
	}
	return text, true
}
