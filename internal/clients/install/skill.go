package install

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/assets"
	"roam-mcp/internal/files"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/problem"
)

// CodeSkillKept is the code of a file that an installation leaves alone.
const CodeSkillKept problem.Code = "SKILL_KEPT"

// SkillName is the name of the file of a skill, in a folder of its own.
const SkillName = "SKILL.md"

// mostSkill is the size in bytes up to which a file is taken for a skill.
const mostSkill = 1 << 20

// SkillPath returns the path of the skill of a profile below a folder of skills.
func SkillPath(folder, profile string) string {
	return filepath.Join(folder, "roam-mcp-"+profile, SkillName)
}

// Skill writes the skill of a profile below a folder of skills, and says what was done.
// A file that somebody else wrote or changed is replaced only where force is set.
func Skill(folder, profile, text string, force bool) (said string, err error) {
	at := SkillPath(folder, profile)
	own := filepath.Dir(at)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return "", failed(fmt.Sprintf("The folder %s can't be made: %v.", own, err))
	}
	path, err := files.ResolveLinks(at)
	if err != nil {
		return "", failed(fmt.Sprintf("%s can't be reached: %v.", path, err))
	}
	version := assets.SkillVersion(profile)
	data, err := files.Read(path, mostSkill)
	was := strings.ReplaceAll(string(data), "\r\n", "\n")
	switch sealed := SealSkill(text); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", failed(fmt.Sprintf("%s can't be read: %v.", path, err))
	case err == nil && was == sealed:
		return fmt.Sprintf("The skill %s %s is in %s already.", profile, version, path), nil
	case err == nil && !force && !skillIsSealed(was):
		return "", &problem.Error{
			Code: CodeSkillKept, Message: fmt.Sprintf("%s was written or changed by somebody else, and is left as it is.", path),
			Hint: problem.Say("Look at it. To replace it: %s", problem.Run("skill", profile).With("--install", folder, "--force").Anywhere()),
		}
	default:
		if err := files.ReplaceAtomically(path, []byte(sealed)); err != nil {
			return "", failed(fmt.Sprintf("%s can't be written: %v.", path, err))
		}
	}
	if err != nil {
		return fmt.Sprintf("The skill %s %s is in %s.", profile, version, path), nil
	}
	return fmt.Sprintf("The skill in %s was replaced: it is %s %s now.", path, profile, version), nil
}

// skillSeal matches the line by which a skill is known to be as it was written.
var skillSeal = lazyregexp.New(`(?m)^  sha256: "[0-9a-f]{64}"\n`)

// SealSkill adds the digest of a skill to its front matter.
func SealSkill(text string) string {
	const before = "\n  version: "
	at := strings.Index(text, before) + 1
	return text[:at] + fmt.Sprintf("  sha256: \"%x\"\n", sha256.Sum256([]byte(text))) + text[at:]
}

// skillIsSealed reports whether a text has a digest, and is what it was made of.
func skillIsSealed(text string) bool {
	at := skillSeal.FindStringIndex(text)
	return at != nil && SealSkill(text[:at[0]]+text[at[1]:]) == text
}

func failed(message string) error { return &problem.Error{Code: problem.CodeFailed, Message: message} }
