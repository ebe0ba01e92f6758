package assets

import (
	"embed"
	"strings"
)

//go:embed skills/*/SKILL.md
var skills embed.FS

// Skill returns the skill of a profile, a text that tells an agent how to work with its
// tools, and reports whether the profile has one. The part on tools, between comments that
// are left out here, is made from the profiles themselves, and its examples are answers of
// the server: a test holds them against each other.
func Skill(profile string) (text string, found bool) {
	data, err := skills.ReadFile("skills/" + profile + "/SKILL.md")
	var kept strings.Builder
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); !strings.HasPrefix(line, "<!--") {
			kept.WriteString(line + "\n")
		}
	}
	return kept.String(), err == nil
}

// SkillVersion returns the semantic version of what the skill of a profile says of
// tools, their arguments and answers, such as 1.0.0; empty where it has none. A greater
// first number means that some have changed, a greater second one that some were added.
func SkillVersion(profile string) string {
	text, _ := Skill(profile)
	_, rest, _ := strings.Cut(text, "\n  version: \"")
	version, _, _ := strings.Cut(rest, `"`)
	return version
}
