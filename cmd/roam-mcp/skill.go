package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"roam-mcp/internal/clients/install"
	"roam-mcp/mcpserve"
)

func (a clientCommands) skillCommand() *cobra.Command {
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
				folder, err := expandHome(folder)
				if err != nil {
					return err
				}
				skill := install.File{Name: "Skill " + args[0], Path: install.SkillPath(folder, args[0]), Part: install.Skills}
				if skill.Path, err = filepath.Abs(skill.Path); err != nil {
					return err
				}
				skill.Made = install.Missing(skill.Path)
				said, err := install.Skill(folder, args[0], text, force)
				if err == nil {
					err = placed().Add(skill)
				}
				if err != nil {
					return err
				}
				return a.answer("%s\n", said)
			case force:
				return usageError(errors.New("--force goes with --install"))
			}
			return a.answer("%s", install.SealSkill(text))
		},
	}
	a.tellLists(command, profileList)
	command.Flags().StringVar(&folder, "install", "", "write it into this `folder`, as roam-mcp-PROFILE/"+install.SkillName)
	command.Flags().BoolVar(&force, "force", false, "with --install, replace what somebody else wrote or changed")
	return command
}
