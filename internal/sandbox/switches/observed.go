package switches

import (
	"fmt"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/observed"
)

// Observed returns the settings that make a sandbox behave as the Roam of a file did, and
// a sentence for each answer that it can't play. What was not tried stays as expected.
// Whether the graph was encrypted is not among them: Encrypted takes names of graphs.
func Observed(file observed.File) (settings []Setting, left []string) {
	for _, check := range file.Checks {
		belief, known := observed.Find(check.ID)
		if check.Found == "" || check.Verdict == observed.Untold {
			continue
		}
		finding, playable := belief.Parse(check.Found)
		switch {
		case !known:
			left = append(left, fmt.Sprintf("This version does not know the check %q.", clip(check.ID)))
		case !playable:
			left = append(left, fmt.Sprintf("The sandbox can't play %q of the check %s.", clip(check.Found), check.ID))
		case finding != belief.Expected:
			settings = append(settings, Setting{Name(check.ID), finding})
		}
	}
	switch v := file.APIVersion; {
	case v == "" || v == localapi.APIVersion:
	case version.MatchString(v):
		settings = append(settings, Setting{APIVersion, v})
	default:
		left = append(left, fmt.Sprintf("%q is no version of the API.", clip(v)))
	}
	return settings, left
}
