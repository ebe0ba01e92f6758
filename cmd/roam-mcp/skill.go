package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roam-mcp/assets"
	"roam-mcp/atomicfile"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/regularfile"
	"roam-mcp/mcpserve"
	"roam-mcp/problem"
)

// codeSkillKept is the code of a file that an installation leaves alone.
const codeSkillKept problem.Code = "SKILL_KEPT"

// skillName is the name of the file of a skill, in a folder of its own.
const skillName = "SKILL.md"

// mostSkill is the size in bytes up to which a file is taken for a skill.
const mostSkill = 1 << 20

func (a *app) skillCommand() *cobra.Command {
	var folder string
	var force bool
	command := &cobra.Command{
		Use:   "skill PROFILE",
		Short: "Print the skill of a profile, which tells an agent how to work with its tools",
		Long: `Print the skill of a profile: a file SKILL.md that tells an agent what the tools
take and answer, what errors mean, and how to work with a graph. With --install it is
written where a client looks for skills, such as ~/.claude/skills. A file there that
somebody else wrote or changed is left alone.`,
		Example: `roam-mcp skill roam
roam-mcp skill notes --install ~/.claude/skills`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := mcpserve.Skill(args[0])
			if err != nil {
				return err
			}
			switch {
			case folder != "":
				return a.installSkill(args[0], text, folder, force)
			case force:
				return usageError(errors.New("--force goes with --install"))
			}
			return a.answer("%s", sealSkill(text))
		},
	}
	a.tellLists(command, profileList)
	command.Flags().StringVar(&folder, "install", "", "write it into this `folder`, as roam-mcp-PROFILE/"+skillName)
	command.Flags().BoolVar(&force, "force", false, "with --install, replace what somebody else wrote or changed")
	return command
}

// installSkill writes a skill below a folder of skills.
func (a *app) installSkill(profile, text, folder string, force bool) error {
	folder, err := expandHome(folder)
	if err != nil {
		return err
	}
	own := filepath.Join(folder, "roam-mcp-"+profile)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return failed(fmt.Sprintf("The folder %s can't be made: %v.", own, err), problem.Hint{})
	}
	path, err := atomicfile.Resolve(filepath.Join(own, skillName))
	if err != nil {
		return failed(fmt.Sprintf("%s can't be reached: %v.", path, err), problem.Hint{})
	}
	version := assets.SkillVersion(profile)
	data, err := regularfile.Read(path, mostSkill)
	was := strings.ReplaceAll(string(data), "\r\n", "\n")
	switch sealed := sealSkill(text); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return failed(fmt.Sprintf("%s can't be read: %v.", path, err), problem.Hint{})
	case err == nil && was == sealed:
		return a.answer("The skill %s %s is in %s already.\n", profile, version, path)
	case err == nil && !force && !skillIsSealed(was):
		return &problem.Error{
			Code: codeSkillKept, Message: fmt.Sprintf("%s was written or changed by somebody else, and is left as it is.", path),
			Hint: problem.Say("Look at it. To replace it: %s", problem.Run("skill", profile).With("--install", folder, "--force").Anywhere()),
		}
	default:
		if err := atomicfile.Write(path, []byte(sealed)); err != nil {
			return failed(fmt.Sprintf("%s can't be written: %v.", path, err), problem.Hint{})
		}
	}
	if err != nil {
		return a.answer("The skill %s %s is in %s.\n", profile, version, path)
	}
	return a.answer("The skill in %s was replaced: it is %s %s now.\n", path, profile, version)
}

// skillSeal matches the line by which a skill is known to be as it was written.
var skillSeal = lazyregexp.New(`(?m)^  sha256: "[0-9a-f]{64}"\n`)

// sealSkill adds the digest of a skill to its front matter.
func sealSkill(text string) string {
	const before = "\n  version: "
	at := strings.Index(text, before) + 1
	return text[:at] + fmt.Sprintf("  sha256: \"%x\"\n", sha256.Sum256([]byte(text))) + text[at:]
}

// skillIsSealed reports whether a text has a digest, and is what it was made of.
func skillIsSealed(text string) bool {
	at := skillSeal.FindStringIndex(text)
	return at != nil && sealSkill(text[:at[0]]+text[at[1]:]) == text
}
