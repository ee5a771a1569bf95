"""Patterns of commands, and whether a yes to them may be kept: programs of every sort, one a line.

``REFUSED`` leave open what a program could be, or are of programs that nobody has vouched for.
"""

from __future__ import annotations

from typing import Final


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


REFUSED: Final = _lines("""
    sh *
    bash **
    bash -c *
    zsh -lc **
    dash *
    ksh **
    fish -c *
    nu -c *
    xonsh *
    elvish **
    tcsh *
    busybox **
    busybox sh *
    toybox *
    cmd /c *
    cmd.exe /c **
    powershell *
    powershell -Command **
    pwsh -c *
    wsl **
    wsl -e *
    /bin/sh *
    /usr/bin/env *
    /opt/tools/bash **
    env **
    env -i *
    env CI=1 **
    sudo *
    sudo -u app **
    doas **
    su - app -c *
    su-exec app **
    gosu app *
    runuser -u app **
    setpriv --reuid 1000 *
    setpriv **
    pkexec *
    run0 **
    chroot /srv **
    nsenter -t 1 -m *
    unshare -r **
    systemd-run *
    systemd-run --user **
    systemd-inhibit **
    machinectl shell **
    start-stop-daemon --start --exec *
    nohup *
    setsid **
    timeout 5 *
    timeout -k 5 5 **
    time *
    nice -n 5 *
    ionice -c 3 **
    chrt -b 0 *
    taskset -c 0 *
    numactl -N 0 **
    cpulimit -l 50 **
    prlimit --nofile=10 *
    stdbuf -oL *
    unbuffer **
    script -c *
    expect -c *
    flock lock *
    flock -n lock **
    watch *
    watch -n 1 **
    entr *
    nodemon *
    hyperfine *
    parallel *
    parallel -j 4 **
    xargs *
    xargs -n 1 **
    find . -exec *
    find . -name x -exec **
    find . **
    fd x -x *
    fd -X **
    rg --pre *
    sort --compress-program *
    sort --compress-prog x *
    tar --to-command *
    tar -xf a.tar --to-command **
    tar --checkpoint-action x *
    tar -I *
    tar **
    zip -TT *
    rsync -e *
    rsync **
    scp **
    sftp *
    ssh *
    ssh host **
    ssh -o ProxyCommand *
    sshpass -p x *
    mosh host *
    socat **
    nc -e *
    ncat --exec *
    strace *
    strace -f **
    ltrace **
    gdb *
    gdb --args **
    lldb **
    dlv exec *
    valgrind *
    valgrind --tool=memcheck **
    perf stat *
    perf record **
    rr record *
    catchsegv **
    xvfb-run **
    dbus-run-session *
    faketime x *
    fakeroot **
    proot *
    bwrap **
    firejail *
    tini **
    tini -s *
    dumb-init *
    screen *
    screen -dm **
    tmux new *
    tmux **
    dtach -n x *
    at now *
    at -f *
    batch **
    crontab *
    crontab -e **
    python *
    python3 **
    python3.12 *
    python3.12 -m *
    python2.7 -c *
    python3 -c *
    python3 -m *
    pypy3.10 **
    ipython *
    perl *
    perl -e *
    perl5.36 -ne **
    ruby -e *
    ruby3.2 **
    irb *
    node *
    node -e *
    node20 -p **
    nodejs **
    deno run *
    deno eval *
    deno **
    bun *
    bun run *
    bun x **
    bunx *
    tsx *
    ts-node **
    php -r *
    php8.2 **
    lua -e *
    lua5.4 *
    luajit **
    Rscript -e *
    R -e *
    julia -e *
    java -jar *
    java **
    jshell **
    scala *
    groovy -e *
    kotlin *
    elixir -e *
    iex *
    erl -eval *
    escript *
    ghci **
    runghc *
    racket -e *
    sbcl --eval *
    tclsh *
    awk *
    awk -f **
    gawk **
    sed *
    sed -e *
    sed -n **
    bc *
    gnuplot -e *
    vim *
    vim -c *
    vim +x *
    vi **
    nvim -c *
    nano *
    emacs --eval *
    emacsclient -e *
    ed *
    ex -c *
    less *
    more **
    most *
    sqlite3 a.db *
    psql -c *
    mysql -e *
    redis-cli **
    mongosh --eval *
    osascript -e *
    cscript *
    mshta **
    rundll32 *
    npx *
    npx --yes **
    npm exec *
    npm exec -- **
    npm x *
    npm -c *
    npm *
    npm **
    npm install *
    npm i **
    npm init *
    npm config set *
    npm --prefix web exec *
    npm test --script-shell *
    pnpm exec *
    pnpm dlx **
    pnpm --filter app exec **
    pnpm -r exec *
    pnpm --filter *
    pnpm add *
    pnpm *
    yarn exec *
    yarn dlx *
    yarn run *
    yarn workspace app **
    yarn *
    npm-run-all *
    lerna exec **
    nx *
    turbo run *
    uv run *
    uv run --with x **
    uvx *
    uv tool run *
    uv *
    pipx run *
    pipx **
    poetry run *
    poetry run -- **
    pipenv run *
    pdm run *
    hatch run *
    rye run *
    conda run -n x *
    mamba run **
    pip install *
    pip **
    bundle exec *
    bundle exec -- **
    gem install *
    cargo run *
    cargo run -- **
    cargo +nightly *
    cargo test --config *
    cargo install *
    cargo **
    go run *
    go run . **
    go generate *
    go test -exec *
    go build -toolexec *
    go vet -vettool *
    go *
    dotnet run *
    dotnet exec **
    dotnet **
    mix run *
    swift run *
    stack exec *
    cabal run *
    nix run *
    nix shell *
    nix develop -c **
    nix-shell --run *
    guix shell *
    flatpak run *
    snap run *
    distrobox enter box *
    toolbox run *
    lxc exec box **
    vagrant ssh -c *
    docker run *
    docker run --rm box **
    docker exec *
    docker exec -it box **
    docker --context prod exec box **
    docker compose run web *
    docker compose exec web **
    docker compose -f c.yml run web **
    docker compose -f c.yml exec web *
    docker-compose run web **
    docker container run box *
    docker container exec box **
    docker **
    podman run *
    podman exec box **
    podman *
    nerdctl run **
    buildah run box *
    kubectl exec *
    kubectl exec web **
    kubectl -n prod exec web **
    kubectl -n prod exec web -- *
    kubectl --context x -n prod exec web **
    kubectl run box *
    kubectl debug *
    kubectl --kubeconfig *
    kubectl plugin *
    kubectl *
    oc exec web **
    helm template --post-renderer *
    helm plugin *
    helm **
    adb shell *
    adb -s x shell **
    adb *
    ansible all -a *
    ansible-playbook *
    salt x cmd.run *
    terraform console *
    terraform **
    vagrant *
    make SHELL=x *
    make CC=gcc all *
    make -f *
    make --eval *
    make -C *
    cmake -E *
    cmake -E env **
    cmake -P *
    cmake **
    ctest **
    meson **
    bazel run *
    ninja -f *
    git *
    git **
    git -c *
    git -c alias.x=y *
    git -c alias.x=y x **
    git -c core.pager=x log *
    git -c core.pager=x log **
    git --exec-path=x *
    git --exec-path=x log **
    git --config-env=a=b log *
    git rebase --exec *
    git rebase -x *
    git rebase -i --exec x *
    git bisect run *
    git submodule foreach *
    git submodule add *
    git filter-branch --tree-filter *
    git difftool -x *
    git mergetool *
    git config *
    git config --global *
    git config core.pager *
    git config --add alias.x *
    git clone *
    git ls-remote *
    git remote add x *
    git fetch --upload-pack *
    git push --receive-pack *
    git push --exec *
    git grep -O *
    git grep --open-files-in-pager *
    git log --output *
    git diff --ext-diff *
    git merge -s *
    git worktree add *
    git credential *
    git archive --exec *
    git send-email *
    git svn **
    git gc *
    gh alias set x *
    gh extension exec *
    gh api *
    gh pr *
    aws **
    gcloud compute ssh *
    heroku run *
    fly ssh console -C *
    direnv exec . *
    dotenv **
    doppler run *
    chamber exec x **
    op run *
    aws-vault exec x *
    cross-env CI=1 *
    env-cmd *
    foreman run *
    asdf exec *
    mise exec *
    mise x **
    volta run *
    fnm exec *
    nvm exec *
    pyenv exec *
    rbenv exec **
    pm2 start *
    supervisorctl **
    forever start *
    concurrently *
    open *
    xdg-open *
    start *
    explorer *
    man -P *
    eval *
    exec *
    command *
    builtin **
    source *
    . *
    trap *
    coproc *
    noglob *
    call *
    wine *
    mono *
    qemu-x86_64 *
    ld-linux-x86-64.so.2 *
    setarch x86_64 *
    linux64 **
    torsocks *
    proxychains4 **
    pytest -p *
    pytest -c *
    pytest -o *
    pytest --pdbcls *
    jest --config *
    jest --globalSetup *
    vitest --config *
    mocha -r *
    mocha --require *
    eslint --rulesdir *
    eslint -c *
    prettier --plugin *
    pylint --init-hook *
    pylint --load-plugins *
    coverage run *
    just *
    just run *
    coverage *
    tox *
    tox -- *
    nox **
    mvn exec:java *
    mvn **
    mvn *
    gradle **
    gradle --init-script *
    ./gradlew -I *
    ./run.sh *
    ./run.sh **
    scripts/deploy **
    mytool *
    mytool **
    mytool sub **
    frobnicate x **
    ./git log **
    bin/ls *
    GIT log **
    NPM run *
    tool * run
    tool * exec
    apt install *
    apt-get -o *
    brew install *
    dpkg -i *
    systemctl start *
    systemctl -H x status *
    journalctl --pager *
    curl *
    curl **
    wget **
    openssl **
    gpg **
    chmod *
    ln *
    tee *
    dd **
    install *
    mount *
    kill *
""")

ALLOWED: Final = _lines("""
    ls
    ls *
    ls **
    ls -la *
    cat *
    cat **
    head -n *
    head -n 5 *
    tail **
    tail -f *
    wc -l *
    grep -rn *
    grep **
    grep -e *
    egrep *
    fgrep **
    rg *
    rg **
    rg -n x *
    fd *
    stat *
    file *
    du -sh *
    df **
    pwd
    tree *
    sort *
    sort **
    uniq *
    cut -d x *
    tr a *
    diff **
    cmp * *
    comm * *
    jq *
    yq *
    md5sum *
    sha256sum **
    basename *
    dirname *
    realpath **
    readlink -f *
    echo **
    printf *
    date **
    whoami
    id *
    uname **
    which *
    ps **
    lsof **
    mkdir -p *
    touch *
    cp * *
    mv * *
    rm *
    bat *
    git status
    git status **
    git log *
    git log **
    git --no-pager log **
    git -C sub log **
    git log --oneline **
    git diff *
    git diff **
    git diff --stat **
    git show *
    git show **
    git blame *
    git shortlog **
    git rev-parse *
    git ls-files **
    git describe **
    git grep **
    git branch *
    git branch -d *
    git checkout *
    git checkout -b *
    git switch *
    git add *
    git commit -m *
    git stash list **
    git fetch origin *
    git pull origin *
    git push origin *
    git push *
    git push **
    git merge *
    git tag *
    git config --get *
    git remote show *
    /usr/bin/git log **
    git.exe log *
    npm test
    npm test **
    npm t *
    npm run *
    npm run **
    npm run lint **
    npm --silent test **
    npm run build *
    npm ls **
    npm outdated **
    npm audit **
    npm view *
    pnpm test **
    pnpm run *
    pnpm --filter app test **
    pnpm -r run *
    pnpm list **
    yarn test **
    yarn why *
    bun test **
    pytest *
    pytest **
    pytest -q **
    pytest -k *
    pytest tests/unit **
    jest **
    vitest **
    mocha *
    eslint *
    eslint **
    prettier --check **
    tsc **
    ruff check **
    ruff format *
    black *
    isort **
    flake8 **
    mypy *
    pylint *
    shellcheck *
    rspec *
    rubocop *
    coverage report *
    make *
    make **
    make test
    make -j4 **
    make build *
    rake *
    gradle *
    ./gradlew *
    gradle test *
    mvn test *
    ninja *
    cargo test
    cargo test **
    cargo build **
    cargo check **
    cargo clippy **
    cargo fmt *
    go test **
    go test -run x *
    go build *
    go vet **
    go list **
    go mod tidy **
    dotnet test *
    mix test *
    swift build *
    pip list **
    pip show *
    pip3 freeze **
    poetry show *
    docker ps **
    docker images **
    docker logs **
    docker logs -f *
    docker inspect *
    docker compose ps **
    podman ps **
    kubectl get **
    kubectl get pods **
    kubectl -n prod get pods **
    kubectl -n prod logs *
    kubectl describe pod *
    kubectl rollout status *
    helm list *
    terraform plan *
    terraform validate *
    gh pr view *
    gh pr list *
    gh run view *
    systemctl status *
    brew info *
    apt show *
    dpkg -l *
    rpm -q *
    bash
    sudo ls
    docker run box
    kubectl exec web -- ls
    python3 -m pytest
    find . -name x
    mytool sub
    ./run.sh fast
""")

NOT_COVERED: Final = tuple(
    tuple(part.strip() for part in line.split("<-"))
    for line in _lines("""
    git push origin * <- git push origin :main
    git push origin * <- git push origin +main
    git push origin * <- git push origin main:prod
    git push origin * <- git push origin --force
    git push origin * <- git push origin -f
    git push origin * <- git push origin ../x
    git push * <- git push ./elsewhere
    git push * <- git push /srv/x
    git push * <- git push ext::x
    git push * <- git push https://example.org/x
    git push * <- git push git@host:x
    git push ** <- git push origin :main
    git push ** <- git push origin +main
    git push ** <- git push --receive-pack=x origin
    git push ** <- git push --rec=x origin
    git push ** <- git push --exec=x origin
    git push ** <- git push -o x origin
    git fetch ** <- git fetch --upload-pack=x origin
    git log ** <- git log --output=x
    git log ** <- git log --outp x
    git diff ** <- git diff --ext-diff
    git grep ** <- git grep -Ox a
    git grep ** <- git grep --open-files-in-pager=x a
    git grep ** <- git grep --open x a
    git checkout * <- git checkout :/x
    git commit -m * <- git commit -m -F
    git branch * <- git branch -D
    git config --get * <- git config --get -f
    cat * <- cat ../secret
    cat * <- cat a/../../secret
    cat * <- cat -n
    cat * <- cat +x
    cat * <- cat :x
    cat * <- cat file:///etc/passwd
    cat * <- cat https://example.org/a
    cat * <- cat a=b
    cat ** <- cat a ../b
    ls ** <- ls -l ../x
    ls ** <- ls --color=../x
    npm run * <- npm run ../x
    npm run * <- npm run --script-shell=x
    npm run ** <- npm run lint --script-shell=x
    npm run ** <- npm run lint --script-shell x
    npm run ** <- npm run lint --node-options=x
    npm run ** <- npm run lint --prefix x
    npm run ** <- npm run lint --pref=x
    npm test ** <- npm test --script-sh=x
    npm test ** <- npm test -C x
    npm test ** <- npm test CI=1
    pytest ** <- pytest -p evil
    pytest ** <- pytest -pevil
    pytest ** <- pytest -xp evil
    pytest ** <- pytest -c x.ini
    pytest ** <- pytest -o x=y
    pytest ** <- pytest --override-ini x=y
    pytest ** <- pytest --pdbcls=a:b
    pytest ** <- pytest --rootdir=x
    pytest ** <- pytest ../x
    make * <- make SHELL=x
    make * <- make -n
    make ** <- make SHELL=x
    make ** <- make all CC=x
    make ** <- make -f x
    make ** <- make -nf x
    make ** <- make --eval=x
    make ** <- make --makefile=x
    make ** <- make --make=x
    make ** <- make -C x
    make ** <- make -Ix
    sort ** <- sort --compress-program=x a
    sort ** <- sort --comp=x a
    sort ** <- sort -o x a
    sort ** <- sort -uo x a
    rg ** <- rg --pre x a
    rg ** <- rg --pre=x a
    go test ** <- go test -exec x
    go test ** <- go test --exec=x
    go test ** <- go test -toolexec=x
    go test ** <- go test -vettool=x
    go vet ** <- go vet -vettool x
    cargo test ** <- cargo test --config x
    cargo test ** <- cargo test --config=x.y=z
    cargo test ** <- cargo test -Zx
    jest ** <- jest --config x
    jest ** <- jest --config=x
    jest ** <- jest --globalSetup=x
    jest ** <- jest --reporters=x
    mocha ** <- mocha -r x
    mocha ** <- mocha --require x
    eslint ** <- eslint --rulesdir x
    eslint ** <- eslint --plugin=x
    eslint ** <- eslint -c x
    eslint ** <- eslint -f x
    prettier --check ** <- prettier --check --plugin=x
    ruff check ** <- ruff check --config x
    kubectl get ** <- kubectl get --kubeconfig=x pods
    kubectl get ** <- kubectl get --kubeconf x pods
    kubectl get ** <- kubectl get -s https://example.org pods
    docker ps ** <- docker ps -H ssh://x
    docker logs * <- docker logs +x
    kubectl -n prod get pods ** <- kubectl -n dev get pods
    kubectl -n prod get pods ** <- kubectl -n prod exec web
    """)
)
"""A pattern that may be kept, and a command in which a word changes what the command means."""

COVERED: Final = tuple(
    tuple(part.strip() for part in line.split("<-"))
    for line in _lines("""
    git push origin * <- git push origin main
    git push origin * <- git push origin feature/x
    git push ** <- git push
    git push ** <- git push origin main
    git push ** <- git push --force-with-lease
    git log ** <- git log -5 --oneline
    git log ** <- git log --since=yesterday -- src
    git show * <- git show HEAD:a.txt
    git commit -m * <- git commit -m "fix: two words"
    npm run * <- npm run build:prod
    npm run ** <- npm run lint -- --fix
    npm test ** <- npm test -- --watch
    pytest ** <- pytest -x -q tests/a.py::test_x
    pytest ** <- pytest -vv --tb=short -k "a and b"
    pytest * <- pytest tests/unit
    make ** <- make -j4 test lint
    make ** <- make -n
    cargo test ** <- cargo test --release a::b
    go test ** <- go test -v -race ./...
    ls ** <- ls -la src
    cat ** <- cat -n a b
    grep ** <- grep -rn -e x -c src
    kubectl get ** <- kubectl get pods -n prod -o wide
    docker logs ** <- docker logs -f --tail=5 web
    rg ** <- rg -n --hidden x src
    """)
)
"""What the same patterns are for."""


def filled(pattern: str) -> str:
    """A command that the pattern means word by word."""
    return " ".join({"*": "x", "**": "x"}.get(word, word) for word in pattern.split())
