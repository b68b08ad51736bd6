@node -e "require(require.resolve('pulumi-agent-platform/plugin', { paths: [process.argv[1]] }))" "%~dp0." %*
