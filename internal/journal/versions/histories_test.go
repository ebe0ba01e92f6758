//go:build !campaign

package versions_test

const randomHistories, randomSteps = 3, 10
